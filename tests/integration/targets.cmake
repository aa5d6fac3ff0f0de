# Real processes on temporary directories. Each Python file is one ctest entry; support.py is what they share.
# As many at once as there are CPUs: each has a directory, sockets and ports of its own, and mostly waits.
# Not under the sanitizers: the preload library cannot be loaded into a foreign program without the sanitizer's
# runtime coming first. What the sanitizers see of the agent is agent.cmake's stress.
if(NOT ROCKTUNE_SANITIZE)
  include(integration/hosts/hosts.cmake)
  include(integration/report/report.cmake)
  foreach(name advise agent agent_http agent_security bad_input bench cli compare control daemon data db_bench device events experiment faults fleet import install kill many_databases no_harm other_users peers probe record_ops replay replay_ops report scenario score share simulate sweep trace_report train two_daemons ways_in wire_doc)
    add_test(NAME integration_${name}
      COMMAND ${Python3_EXECUTABLE} -m unittest -v test_${name}
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/integration")
    set_tests_properties(integration_${name} PROPERTIES
      LABELS integration TIMEOUT 1800 ENVIRONMENT "ROCKTUNE_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
  endforeach()
endif()
