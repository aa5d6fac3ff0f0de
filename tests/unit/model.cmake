rocktune_unit_test(model_test
  SOURCES
    unit/model/features_test.cc
    unit/model/alert_tracker_test.cc unit/model/backlog_test.cc unit/model/indicators_test.cc
    unit/model/compaction_debt_test.cc
    unit/model/device_load_test.cc unit/model/device_saturation_test.cc
    unit/model/digest_test.cc
    unit/model/flow_test.cc
    unit/model/foreseen_growth_test.cc
    unit/model/kept_options_test.cc
    unit/model/knob_readings_test.cc unit/model/knobs_test.cc
    unit/model/heads/drift_test.cc
    unit/model/heads/false_alarm_budget_test.cc
    unit/model/heads/forecaster_test.cc
    unit/model/heads/indicator_heads_test.cc
    unit/model/heads/linear_head_test.cc
    unit/model/model_property_test.cc
    unit/model/quantile_test.cc
    unit/model/rollout_property_test.cc unit/model/rollout_test.cc
    unit/model/stall_forecast_test.cc
    unit/model/text_test.cc
    unit/model/trend_property_test.cc unit/model/trend_test.cc
  LIBRARIES rocktune_model)
# Replaces operator new.
rocktune_unit_test(model_allocation_test SOURCES unit/model/allocation_test.cc LIBRARIES rocktune_model)
target_compile_definitions(model_test PRIVATE ROCKTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
