rocktune_unit_test(advice_test
  SOURCES
    unit/advice/auto_compactions_test.cc
    unit/advice/lsm_rules_test.cc
    unit/advice/other_rules_test.cc
    unit/advice/property_test.cc
    unit/advice/read_rules_test.cc
    unit/advice/recording.cc
    unit/advice/shapes_test.cc unit/advice/shared_memory_test.cc unit/advice/tuned_test.cc
    unit/advice/wal_rules_test.cc
  LIBRARIES rocktune_advice)
