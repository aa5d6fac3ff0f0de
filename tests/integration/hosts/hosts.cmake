# The hosts of test_ways_in.py: one that knows nothing of rocktune, and the same linked with the agent.
add_executable(host_plain integration/hosts/host.cc integration/hosts/forms.cc)
target_link_libraries(host_plain PRIVATE rocktune_options rocktune_rocksdb)
add_executable(host_linked integration/hosts/host.cc integration/hosts/forms.cc)
target_link_libraries(host_linked PRIVATE rocktune_options rocktune_agent)
target_compile_definitions(host_linked PRIVATE ROCKTUNE_LINKED)
