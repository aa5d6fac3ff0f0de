rocktune_unit_test(prior_test
  SOURCES
    unit/files/agent_sockets_test.cc
    unit/files/make_way_test.cc
    unit/files/memory_directory_test.cc
    unit/files/peer_process_test.cc
    unit/files/printable_test.cc
    unit/files/replace_file_test.cc
    unit/files/tree_reader_test.cc
    unit/files/yaml_document_test.cc
    unit/prior/prior_test.cc
  LIBRARIES rocktune_prior)
