# Run it under the asan and tsan presets too. RocksDB itself is not instrumented there, but its mutexes
# and threads are seen: two narrow suppressions (main.cc) are enough. (called_from_lib:librocksdb would hide its mutexes as well, and with them
# the order that they make.)
add_executable(agent_stress
  integration/agent_stress/main.cc integration/agent_stress/changes_while_closing.cc
  integration/agent_stress/check.cc integration/agent_stress/cycles.cc
  integration/agent_stress/exits.cc integration/agent_stress/families.cc
  integration/agent_stress/fork_and_exec.cc integration/agent_stress/host.cc
  integration/agent_stress/many_databases.cc integration/agent_stress/poller.cc)
target_link_libraries(agent_stress PRIVATE rocktune_options rocktune_agent_static)

function(rocktune_agent_stress scenario times)
  add_test(NAME agent_stress_${scenario} COMMAND agent_stress ${scenario} ${times})
  set_tests_properties(agent_stress_${scenario} PROPERTIES LABELS integration TIMEOUT 1800)
endfunction()
if(ROCKTUNE_SANITIZE)
  rocktune_agent_stress(cycles 300)  # a cycle takes three times as long
else()
  rocktune_agent_stress(cycles 1000)
endif()
rocktune_agent_stress(families 200)
rocktune_agent_stress(many-databases 10)
rocktune_agent_stress(fork-and-exec 60)
rocktune_agent_stress(changes-while-closing 200)
rocktune_agent_stress(exits 10)
