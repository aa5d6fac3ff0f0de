rocktune_unit_test(trace_test
  SOURCES
    unit/trace/age_test.cc
    unit/trace/bad_files_test.cc
    unit/trace/bounds_test.cc
    unit/trace/damage_test.cc
    unit/trace/events_test.cc
    unit/trace/histogram_blob_test.cc
    unit/trace/journal_json_test.cc
    unit/trace/older_schemas_test.cc
    unit/trace/op_recording_test.cc
    unit/trace/op_trace_file_test.cc
    unit/trace/rocksdb_log/import_open_test.cc
    unit/trace/rocksdb_log/import_test.cc
    unit/trace/rocksdb_log/line_test.cc
    unit/trace/rocksdb_log/parser_test.cc
    unit/trace/rocksdb_log/side_csv_test.cc
    unit/trace/rocksdb_log/timeline_options_test.cc
    unit/trace/rocksdb_log/timeline_stall_test.cc
    unit/trace/rocksdb_log/timeline_tables_test.cc
    unit/trace/rocksdb_log/timeline_test.cc
    unit/trace/round_trip_test.cc
    unit/trace/shared_test.cc
    unit/trace/support.cc
  LIBRARIES rocktune_trace nlohmann_json::nlohmann_json SQLite::SQLite3 ZLIB::ZLIB)
target_compile_definitions(trace_test PRIVATE ROCKTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
