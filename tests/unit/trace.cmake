rocktune_unit_test(trace_test
  SOURCES
    unit/trace/bad_files_test.cc
    unit/trace/bounds_test.cc
    unit/trace/events_test.cc
    unit/trace/histogram_blob_test.cc
    unit/trace/journal_json_test.cc
    unit/trace/round_trip_test.cc
    unit/trace/support.cc
  LIBRARIES rocktune_trace SQLite::SQLite3)
