rocktune_unit_test(bench_test
  SOURCES
    unit/bench/alert_tail_test.cc
    unit/bench/backlog_test.cc
    unit/bench/builtin_scenarios_test.cc
    unit/bench/compare_shared_test.cc
    unit/bench/compare_test.cc
    unit/bench/comparison_test.cc
    unit/bench/device_activity_test.cc
    unit/bench/device_fit_test.cc
    unit/bench/device_loop_test.cc
    unit/bench/device_model_behaviour_test.cc
    unit/bench/device_model_test.cc
    unit/bench/experiment_outcome_test.cc
    unit/bench/experiment_test.cc
    unit/bench/histogram_test.cc
    unit/bench/load_test.cc
    unit/bench/moments_test.cc
    unit/bench/no_harm_test.cc
    unit/bench/options_test.cc
    unit/bench/order_test.cc
    unit/bench/overhead_test.cc
    unit/bench/pacer_test.cc
    unit/bench/random_scenario_test.cc
    unit/bench/records_test.cc
    unit/bench/replay_ops_test.cc
    unit/bench/replay_speed_test.cc
    unit/bench/report_machine_test.cc
    unit/bench/report_statistics_test.cc
    unit/bench/report_standings_test.cc
    unit/bench/report_summary_test.cc
    unit/bench/report_verdict_test.cc
    unit/bench/result_test.cc
    unit/bench/runner_test.cc
    unit/bench/search_test.cc
    unit/bench/simulated_device_test.cc
    unit/bench/trial_test.cc
    unit/bench/tsan_suppressions.cc
  LIBRARIES rocktune_bench_lib)

# Their names from bench::report are those of bench as well, where another file of its batch uses both.
set_source_files_properties(unit/bench/report_summary_test.cc unit/bench/report_verdict_test.cc
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# By themselves, so that the others stay in the batches that they compile in.
set_source_files_properties(unit/bench/load_test.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_source_files_properties(unit/bench/search_test.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
