# Run it under the asan and tsan presets too. RocksDB itself is not instrumented there, but its mutexes
# and threads are seen: no suppressions are needed. (called_from_lib:librocksdb would hide its
# mutexes as well, and with them the order that they make.)
add_executable(agent_stress integration/agent_stress.cc)
target_link_libraries(agent_stress PRIVATE rocktune_options rocktune_agent_static)
add_test(NAME agent_stress COMMAND agent_stress 1000)
set_tests_properties(agent_stress PROPERTIES LABELS integration TIMEOUT 300)
