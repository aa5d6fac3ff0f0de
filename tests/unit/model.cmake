rocktune_unit_test(model_test
  SOURCES
    unit/model/features_test.cc
    unit/model/backlog_test.cc unit/model/indicators_test.cc
    unit/model/compaction_debt_test.cc
    unit/model/device_load_test.cc unit/model/device_saturation_test.cc
    unit/model/flow_test.cc
    unit/model/knobs_test.cc
    unit/model/quantile_test.cc
    unit/model/rollout_test.cc
    unit/model/stall_forecast_test.cc
    unit/model/text_test.cc
    unit/model/trend_test.cc
  LIBRARIES rocktune_model)
