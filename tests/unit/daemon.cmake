rocktune_unit_test(daemon_test
  SOURCES
    unit/daemon/agents_test.cc
    unit/daemon/allowance_test.cc
    unit/daemon/cache_note_test.cc
    unit/daemon/cgroup_io_test.cc
    unit/daemon/clock_step_test.cc
    unit/daemon/complaints_test.cc
    unit/daemon/config_test.cc
    unit/daemon/device_profile_test.cc
    unit/daemon/device_target_test.cc
    unit/daemon/device_test.cc
    unit/daemon/errand_test.cc
    unit/daemon/events_test.cc
    unit/daemon/forecast_notes_test.cc
    unit/daemon/freeze_test.cc
    unit/daemon/host_test.cc
    unit/daemon/nvme_target_test.cc unit/daemon/nvme_test.cc
    unit/daemon/learnt_test.cc
    unit/daemon/lease_test.cc
    unit/daemon/name_lock_test.cc
    unit/daemon/old_traces_test.cc
    unit/daemon/parts_test.cc
    unit/daemon/policy_notes_test.cc
    unit/daemon/share_claims_test.cc
    unit/daemon/share_groups_test.cc
    unit/daemon/support.cc
    unit/daemon/target_journal_test.cc
    unit/daemon/target_knobs_test.cc
    unit/daemon/target_options_test.cc
    unit/daemon/target_test.cc
    unit/daemon/trace_file_test.cc
    unit/daemon/translate_test.cc
    unit/daemon/units_test.cc
    unit/daemon/unmatched_test.cc
  LIBRARIES rocktune_daemon)
target_compile_definitions(daemon_test PRIVATE ROCKTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
# As in daemon/CMakeLists.txt; without the shared headers, which want the same options.
set_source_files_properties(unit/daemon/errand_test.cc
  PROPERTIES COMPILE_OPTIONS -Wno-mismatched-new-delete SKIP_PRECOMPILE_HEADERS ON)
