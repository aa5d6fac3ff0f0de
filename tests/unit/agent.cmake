rocktune_unit_test(agent_test
  SOURCES unit/agent/beside_checkpoint_test.cc unit/agent/control_changes_test.cc unit/agent/control_test.cc
          unit/agent/database_test.cc unit/agent/database_changes_test.cc unit/agent/knob_state_test.cc
          unit/agent/operator_orders_test.cc
          unit/agent/catalogue_test.cc unit/agent/knobs_test.cc unit/agent/knobs_property_test.cc
          unit/agent/limiter/fair_budget_test.cc unit/agent/limiter/fair_rate_limiter_test.cc
          unit/agent/limiter/limited_database_test.cc unit/agent/machine_test.cc
          unit/agent/derived_test.cc unit/agent/distribution_test.cc unit/agent/event_ring_test.cc
          unit/agent/forget_test.cc unit/agent/forwarding_statistics_test.cc unit/agent/job_events_test.cc
          unit/agent/level0_input_test.cc unit/agent/listener_test.cc unit/agent/report_test.cc unit/agent/stall_test.cc
          unit/agent/op_trace/file_test.cc unit/agent/op_trace/op_trace_test.cc
          unit/agent/own_statistics_test.cc unit/agent/return_pace_test.cc unit/agent/router_test.cc unit/agent/running_jobs_test.cc unit/agent/settings_test.cc
          unit/agent/service_test.cc unit/agent/socket_file_test.cc unit/agent/statistics_test.cc
          unit/agent/thinning_test.cc unit/agent/thread_slots_test.cc unit/agent/thread_test.cc unit/agent/threads_short_test.cc unit/agent/workers_test.cc
          unit/agent/write_stop_test.cc
  LIBRARIES rocktune_agent_static)
target_compile_definitions(agent_test PRIVATE ROCKTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# Apart: the others do not link RocksDB's C API.
rocktune_unit_test(c_api_test
  SOURCES unit/agent/c_api_test.cc
  LIBRARIES rocktune_agent_c rocktune_agent_static)
