# The hosts of test_ways_in.py: one that knows nothing of rocktune, and the same linked with the agent.
add_executable(host_plain integration/hosts/host.cc integration/hosts/forms.cc)
target_link_libraries(host_plain PRIVATE rocktune_options rocktune_rocksdb)
add_executable(host_linked integration/hosts/host.cc integration/hosts/forms.cc)
target_link_libraries(host_linked PRIVATE rocktune_options rocktune_agent)
target_compile_definitions(host_linked PRIVATE ROCKTUNE_LINKED)

# And one whose RocksDB is another one than the agent's.
add_library(other_rocksdb SHARED integration/hosts/other_rocksdb.cc)
target_compile_definitions(other_rocksdb PRIVATE ROCKTUNE_OTHER_LIBRARY)
add_executable(host_other integration/hosts/other_rocksdb.cc)
target_link_libraries(host_other PRIVATE rocktune_options other_rocksdb)
foreach(target other_rocksdb host_other)
  target_include_directories(${target} SYSTEM PRIVATE
    $<TARGET_PROPERTY:RocksDB::rocksdb-shared,INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()
