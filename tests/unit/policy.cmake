rocktune_unit_test(policy_test
  SOURCES
    unit/policy/closed_loop_test.cc
    unit/policy/engine_test.cc
    unit/policy/guard_test.cc
    unit/policy/guard_wait_test.cc
    unit/policy/headroom_loops_test.cc
    unit/policy/headroom_test.cc
    unit/policy/journal_filter_test.cc
    unit/policy/outcomes_test.cc
    unit/policy/policy_test.cc
    unit/policy/property_test.cc
  LIBRARIES rocktune_policy)
