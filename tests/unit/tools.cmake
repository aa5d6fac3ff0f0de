rocktune_unit_test(tools_test
  SOURCES
    unit/tools/agents_test.cc
    unit/tools/agreement_test.cc
    unit/tools/alert_text_test.cc
    unit/tools/cli_test.cc
    unit/tools/control_test.cc
    unit/tools/event_text_test.cc
    unit/tools/follow_test.cc
    unit/tools/knobs_text_test.cc
    unit/tools/replay_test.cc
    unit/tools/run_plan_test.cc
    unit/tools/simulated_run.cc
    unit/tools/stats_text_test.cc
    unit/tools/status_text_test.cc
    unit/tools/text_test.cc
    unit/tools/trace_summary_test.cc
  LIBRARIES rocktune_tools_lib)
