// One filled message of each kind: every field has a value that is not its default.
#pragma once

#include "wire/codec.h"

namespace rocktune::wire::testing {

inline Hello hello() {
  return {.version = 1,
          .agent_version = "0.1.0",
          .rocksdb_version = "7.8.3",
          .pid = 4711,
          .command = "mysqld",
          .instance = "9f0c",
          .mode = "ro",
          .capabilities = {"sample", "options"}};
}

inline Database database() {
  return {.id = "db1",
          .path = "/var/lib/\"quoted\"\\\n\x01 größe",
          .data_paths = {"/fast", "/slow"},
          .access = "read_only",
          .tunable = true,
          .reason = "because",
          .limiter = "host",
          .statistics = "agent"};
}

inline Knob knob() {
  return {.name = "max_background_jobs",
          .column_family = "default",
          .value = 4,
          .found = 2,
          .owner = "rocktune",
          .changeable = true,
          .reason = "r",
          .min = -1,
          .max = INT64_MAX,
          .databases = 2,
          .object = UINT64_MAX};
}

inline Lease lease() {
  return {.holder = "rocktuned:1", .seconds = 12.5, .on_expiry = "keep", .remaining_seconds = 0.25};
}

inline Sample sample() {
  Sample sample;
  sample.sequence = UINT64_MAX;
  sample.tick_ns = 123456789012345;
  sample.wall_ns = INT64_MIN;
  sample.tickers = {{"bytes.written", 1}, {"stall.micros", UINT64_MAX}};
  sample.histograms["get"] = {.buckets = {{0, 1, 5}, {1, 2, 6}, {64, 65, 1}}, .sum_us = 70};
  sample.histograms["seek"] = {};
  sample.properties = {{"is-write-stopped", 1}};
  sample.cache = {{"capacity_bytes", 8 << 20}};
  sample.limiter = {{"bytes_through", 77}};
  sample.write_buffer_manager = {{"limit_bytes", 64 << 20}, {"stall_active", 1}};
  sample.column_families = {{.name = "default",
                             .properties = {{"estimate-live-data-size", 9}},
                             .options = {{"write_buffer_size", -5}},
                             .levels = {{1, 2}, {3, 4}},
                             .l0_compactions = L0Compactions{4, 5, 6, UINT64_MAX},
                             .jobs = Jobs{1, 2, 3, 4, 5, 6, 7, 8, UINT64_MAX, 9}},
                            {.name = "",
                             .properties = {},
                             .options = {},
                             .levels = {},
                             .l0_compactions = L0Compactions{1, 2, std::nullopt, 3},
                             .jobs = Jobs{}},
                            {.name = "old agent",
                             .properties = {},
                             .options = {},
                             .levels = {},
                             .l0_compactions = std::nullopt,
                             .jobs = std::nullopt}};
  sample.knobs = {knob()};
  sample.lease = lease();
  sample.next_event = UINT64_MAX;
  return sample;
}

inline Events events() {
  return {.events = {{.sequence = 7,
                      .tick_ns = 1LL << 62,
                      .wall_ns = INT64_MIN,
                      .kind = "compaction_end",
                      .column_family = "\"a\"",
                      .numbers = {{"job", INT64_MAX}, {"input_bytes", INT64_MIN}},
                      .words = {{"reason", "LevelL0FilesNum"}}},
                     {.sequence = UINT64_MAX - 1,
                      .tick_ns = 1,
                      .wall_ns = 2,
                      .kind = "later",
                      .column_family = "",
                      .numbers = {},
                      .words = {}}},
          .missed = UINT64_MAX,
          .next_event = UINT64_MAX};
}

inline Options options() {
  return {.database = {{"max_background_jobs", "2"}},
          .column_families = {{"default", {{"write_buffer_size", "67108864"}}}, {"empty", {}}}};
}

inline ChangesRequest changes() {
  return {.holder = "me",
          .changes = {{.id = "1", .knob = "a", .column_family = "cf", .value = -7, .expect = 3},
                      {.id = "2", .knob = "b", .column_family = "", .value = 8, .expect = {}}},
          .hold = true};
}

inline ChangeResults results() {
  return {.results = {{.id = "1", .status = "applied", .reason = "", .before = 1, .after = 2},
                      {.id = "2",
                       .status = "mismatch",
                       .reason = "r",
                       .before = -3,
                       .after = 4,
                       .column_family = "cf"}}};
}

inline Knobs knobs() {
  return {.knobs = {{.knob = knob(),
                     .details = {.scope = "column_family",
                                 .type = "boolean",
                                 .unit = "bytes/s",
                                 .special = -1,
                                 .special_means = "all",
                                 .relations = "a <= b",
                                 .cost = "free",
                                 .side_effects = "s"}},
                    {.knob = knob(),
                     .details = {.scope = "cache",
                                 .type = "integer",
                                 .unit = "",
                                 .special = {},
                                 .special_means = "",
                                 .relations = "",
                                 .cost = "",
                                 .side_effects = ""}}}};
}

inline OpTraceRequest op_trace_request() {
  return {.action = "start",
          .directory = "/data/recording",
          .max_bytes = 1 << 30,
          .seconds = 60.5,
          .keep_one_read_of = 10,
          .checkpoint = false,
          .force = true};
}

inline OpTrace op_trace() {
  OpTrace trace;
  trace.state = "ended";
  trace.why_ended = "disk_full";
  trace.problem = "No space left on device";
  trace.directory = "/data/recording";
  trace.begin_wall_ns = 1795183619041275904;
  trace.elapsed_seconds = 12.5;
  trace.seconds = 60;
  trace.max_bytes = 1 << 30;
  trace.keep_one_read_of = 10;
  trace.bytes = 1;
  trace.writes = 2;
  trace.gets = 3;
  trace.multigets = 4;
  trace.seeks = 5;
  trace.reads_left_out = 6;
  trace.checkpoint = true;
  trace.checkpoint_seconds = 0.25;
  trace.writer_ns_per_operation = 63.5;
  return trace;
}

}  // namespace rocktune::wire::testing
