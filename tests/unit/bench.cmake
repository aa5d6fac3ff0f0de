rocktune_unit_test(bench_test
  SOURCES
    unit/bench/alert_tail_test.cc
    unit/bench/comparison_test.cc
    unit/bench/configuration_test.cc
    unit/bench/device_fit_test.cc
    unit/bench/device_model_test.cc
    unit/bench/device_profile_test.cc
    unit/bench/experiment_outcome_test.cc
    unit/bench/experiment_test.cc
    unit/bench/generator_test.cc
    unit/bench/histogram_test.cc
    unit/bench/overhead_test.cc
    unit/bench/pacer_test.cc
    unit/bench/records_test.cc
    unit/bench/result_test.cc
    unit/bench/workload_test.cc
  LIBRARIES rocktune_bench_lib)
