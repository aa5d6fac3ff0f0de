# Real processes on temporary directories. Each Python file is one ctest entry; support.py is what they share.
# Those that live on daemons and loads of their own run one at a time: they wait for what these do. The others read and
# write files for most of their time.
# Not under the sanitizers: the preload library cannot be loaded into a foreign program without the sanitizer's
# runtime coming first. What the sanitizers see of the agent is agent.cmake's stress.
function(rocktune_integration_test name)
  add_test(NAME integration_${name}
    COMMAND ${Python3_EXECUTABLE} -m unittest -v test_${name}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/integration")
  set_tests_properties(integration_${name} PROPERTIES
    LABELS integration TIMEOUT 1800 ENVIRONMENT "ROCKTUNE_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
endfunction()

if(NOT ROCKTUNE_SANITIZE)
  include(integration/hosts/hosts.cmake)
  include(integration/report/report.cmake)
  foreach(name agent agent_http agent_security bad_input bench cli compare control daemon db_bench device events faults import kill many_databases no_harm other_users peers record_ops replay_ops share two_daemons ways_in wire_doc)
    rocktune_integration_test(${name})
    set_tests_properties(integration_${name} PROPERTIES RUN_SERIAL TRUE)
  endforeach()
  foreach(name advise data experiment fleet install probe replay report scenario score simulate sweep trace_report train)
    rocktune_integration_test(${name})
  endforeach()
endif()
