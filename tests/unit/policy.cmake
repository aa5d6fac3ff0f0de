rocktune_unit_test(policy_test
  SOURCES
    unit/policy/closed_loop_test.cc
    unit/policy/guard_test.cc
  LIBRARIES rocktune_policy)
