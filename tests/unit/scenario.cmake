rocktune_unit_test(scenario_test
  SOURCES
    unit/scenario/configuration_test.cc
    unit/scenario/device_profile_test.cc
    unit/scenario/engine_test.cc
    unit/scenario/generator_test.cc
    unit/scenario/host_laws_test.cc
    unit/scenario/keys_test.cc
    unit/scenario/load_order_test.cc
    unit/scenario/rate_test.cc
    unit/scenario/requests_test.cc
    unit/scenario/scenario_input_test.cc
    unit/scenario/scenario_test.cc
    unit/scenario/sizes_test.cc
    unit/scenario/workload_test.cc
  LIBRARIES rocktune_scenario)
target_compile_definitions(scenario_test PRIVATE ROCKTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
