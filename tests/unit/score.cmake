rocktune_unit_test(score_test
  SOURCES
    unit/score/alert_run_test.cc
    unit/score/bootstrap_test.cc
    unit/score/detector_test.cc
    unit/score/evaluation_test.cc
    unit/score/events_test.cc
    unit/score/events_property_test.cc
    unit/score/forecasts_test.cc
    unit/score/learner_test.cc
    unit/score/probability_test.cc
    unit/score/run_test.cc
    unit/score/tally_test.cc
    unit/score/thresholds_test.cc
    unit/score/walk_forward_test.cc
  LIBRARIES rocktune_score)
