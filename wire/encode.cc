// Wire messages to JSON. docs/wire.md shows each form.
#include "wire/codec.h"
#include "wire/json_writer.h"

namespace rocktune::wire {
namespace {

template <class Value>
void write_map(JsonWriter& out, std::string_view name, const std::map<std::string, Value>& map) {
  out.key(name);
  out.begin_object();
  for (const auto& [key, value] : map) out.field(key, value);
  out.end_object();
}

void write_strings(JsonWriter& out, std::string_view name, const std::vector<std::string>& list) {
  out.key(name);
  out.begin_array();
  for (const auto& item : list) out.value(item);
  out.end_array();
}

void write(JsonWriter& out, const Database& database) {
  out.begin_object();
  out.field("id", database.id);
  out.field("path", database.path);
  write_strings(out, "data_paths", database.data_paths);
  out.field("access", database.access);
  out.field("tunable", database.tunable);
  out.field("reason", database.reason);
  out.field("limiter", database.limiter);
  out.field("statistics", database.statistics);
  out.end_object();
}

void write(JsonWriter& out, const Histogram& histogram) {
  out.begin_object();
  out.field("sum_us", histogram.sum_us);
  out.key("buckets");
  out.begin_array();
  for (const auto& bucket : histogram.buckets) {
    out.begin_array();
    out.value(bucket.lower_us);
    out.value(bucket.upper_us);
    out.value(bucket.count);
    out.end_array();
  }
  out.end_array();
  out.end_object();
}

void write(JsonWriter& out, const Jobs& jobs) {
  out.begin_object();
  out.field("flushes", jobs.flushes);
  if (jobs.last_flush_age_ms) out.field("last_flush_age_ms", *jobs.last_flush_age_ms);
  out.field("l0_compactions", jobs.l0_compactions);
  out.field("l0_compactions_ms", jobs.l0_compactions_ms);
  out.field("l0_compactions_input_bytes", jobs.l0_compactions_input_bytes);
  if (const auto& other = jobs.l0_compactions_other_bytes) {
    out.field("l0_compactions_other_bytes", *other);
  }
  out.field("deep_compactions", jobs.deep_compactions);
  out.field("deep_compactions_ms", jobs.deep_compactions_ms);
  out.field("deep_running_level", jobs.deep_running_level);
  out.field("deep_running_age_ms", jobs.deep_running_age_ms);
  out.end_object();
}

void write(JsonWriter& out, const ColumnFamily& family) {
  out.begin_object();
  out.field("name", family.name);
  write_map(out, "properties", family.properties);
  write_map(out, "options", family.options);
  out.key("levels");
  out.begin_array();
  for (const auto& level : family.levels) {
    out.begin_object();
    out.field("files", level.files);
    out.field("bytes", level.bytes);
    out.end_object();
  }
  out.end_array();
  if (const auto& running = family.l0_compactions) {
    out.key("l0_compactions");
    out.begin_object();
    out.field("input_files", running->input_files);
    out.field("input_bytes", running->input_bytes);
    if (running->output_bytes) out.field("output_bytes", *running->output_bytes);
    out.field("age_ms", running->age_ms);
    out.end_object();
  }
  if (family.jobs) {
    out.key("jobs");
    write(out, *family.jobs);
  }
  out.end_object();
}

void write_fields(JsonWriter& out, const Knob& knob) {
  out.field("name", knob.name);
  out.field("column_family", knob.column_family);
  out.field("value", knob.value);
  out.field("found", knob.found);
  out.field("owner", knob.owner);
  out.field("changeable", knob.changeable);
  out.field("reason", knob.reason);
  out.field("min", knob.min);
  out.field("max", knob.max);
  if (knob.databases > 1) {
    out.field("databases", knob.databases);
    out.field("object", knob.object);
  }
}

void write(JsonWriter& out, const Knob& knob) {
  out.begin_object();
  write_fields(out, knob);
  out.end_object();
}

void write(JsonWriter& out, const Knobs::Entry& entry) {
  out.begin_object();
  write_fields(out, entry.knob);
  out.field("scope", entry.details.scope);
  out.field("type", entry.details.type);
  out.field("unit", entry.details.unit);
  if (entry.details.special) {
    out.field("special", *entry.details.special);
    out.field("special_means", entry.details.special_means);
  }
  out.field("relations", entry.details.relations);
  out.field("cost", entry.details.cost);
  out.field("side_effects", entry.details.side_effects);
  out.end_object();
}

void write(JsonWriter& out, const Lease& lease) {
  out.begin_object();
  out.field("holder", lease.holder);
  out.field("seconds", lease.seconds);
  out.field("on_expiry", lease.on_expiry);
  if (lease.remaining_seconds) out.field("remaining_seconds", *lease.remaining_seconds);
  out.end_object();
}

void write(JsonWriter& out, const Change& change) {
  out.begin_object();
  out.field("id", change.id);
  out.field("knob", change.knob);
  out.field("column_family", change.column_family);
  out.field("value", change.value);
  if (change.expect) out.field("expect", *change.expect);
  out.end_object();
}

void write(JsonWriter& out, const ChangeResult& result) {
  out.begin_object();
  out.field("id", result.id);
  out.field("status", result.status);
  out.field("reason", result.reason);
  out.field("before", result.before);
  out.field("after", result.after);
  if (!result.column_family.empty()) out.field("column_family", result.column_family);
  out.end_object();
}

void write(JsonWriter& out, const Event& event) {
  out.begin_object();
  out.field("sequence", event.sequence);
  out.field("tick_ns", event.tick_ns);
  out.field("wall_ns", event.wall_ns);
  out.field("kind", event.kind);
  out.field("column_family", event.column_family);
  write_map(out, "numbers", event.numbers);
  write_map(out, "words", event.words);
  out.end_object();
}

template <class Item>
void write_list(JsonWriter& out, std::string_view name, const std::vector<Item>& items) {
  out.key(name);
  out.begin_array();
  for (const auto& item : items) write(out, item);
  out.end_array();
}

}  // namespace

std::string encode(const Hello& hello) {
  JsonWriter out;
  out.begin_object();
  out.field("version", hello.version);
  out.field("agent_version", hello.agent_version);
  out.field("rocksdb_version", hello.rocksdb_version);
  out.field("pid", hello.pid);
  out.field("command", hello.command);
  out.field("instance", hello.instance);
  out.field("mode", hello.mode);
  write_strings(out, "capabilities", hello.capabilities);
  out.end_object();
  return out.take();
}

std::string encode(const DatabaseList& list) {
  JsonWriter out;
  out.begin_object();
  write_list(out, "databases", list.databases);
  out.end_object();
  return out.take();
}

std::string encode(const Sample& sample) {
  // About 230 tickers of 40 bytes and a kilobyte or two for each column family.
  JsonWriter out(32768 + 2048 * sample.column_families.size());
  out.begin_object();
  out.field("sequence", sample.sequence);
  out.field("tick_ns", sample.tick_ns);
  out.field("wall_ns", sample.wall_ns);
  write_map(out, "tickers", sample.tickers);
  out.key("histograms");
  out.begin_object();
  for (const auto& [name, histogram] : sample.histograms) {
    out.key(name);
    write(out, histogram);
  }
  out.end_object();
  write_map(out, "properties", sample.properties);
  write_map(out, "cache", sample.cache);
  write_map(out, "limiter", sample.limiter);
  if (const auto& manager = sample.write_buffer_manager; !manager.empty()) {
    write_map(out, "write_buffer_manager", manager);
  }
  write_list(out, "column_families", sample.column_families);
  write_list(out, "knobs", sample.knobs);
  if (sample.lease) {
    out.key("lease");
    write(out, *sample.lease);
  }
  out.field("next_event", sample.next_event);
  out.end_object();
  return out.take();
}

std::string encode(const Events& events) {
  constexpr std::size_t kOfOne = 512;  // a compaction's end, the longest of the usual ones
  JsonWriter out(256 + kOfOne * events.events.size());
  out.begin_object();
  write_list(out, "events", events.events);
  out.field("missed", events.missed);
  out.field("next_event", events.next_event);
  out.end_object();
  return out.take();
}

std::string encode(const Options& options) {
  JsonWriter out(16384);
  out.begin_object();
  write_map(out, "database", options.database);
  out.key("column_families");
  out.begin_object();
  for (const auto& [name, map] : options.column_families) write_map(out, name, map);
  out.end_object();
  out.end_object();
  return out.take();
}

std::string encode(const Knobs& knobs) {
  JsonWriter out(512 * knobs.knobs.size());
  out.begin_object();
  write_list(out, "knobs", knobs.knobs);
  out.end_object();
  return out.take();
}

std::string encode(const ChangesRequest& request) {
  JsonWriter out;
  out.begin_object();
  out.field("holder", request.holder);
  write_list(out, "changes", request.changes);
  if (request.hold) out.field("hold", request.hold);
  out.end_object();
  return out.take();
}

std::string encode(const ChangeResults& results) {
  JsonWriter out;
  out.begin_object();
  write_list(out, "results", results.results);
  out.end_object();
  return out.take();
}

std::string encode(const Lease& lease) {
  JsonWriter out;
  write(out, lease);
  return out.take();
}

std::string encode(const RestoreRequest& request) {
  JsonWriter out;
  out.begin_object();
  out.field("hold", request.hold);
  out.end_object();
  return out.take();
}

std::string encode(const ReleaseRequest& request) {
  JsonWriter out;
  out.begin_object();
  out.field("knob", request.knob);
  out.field("column_family", request.column_family);
  out.end_object();
  return out.take();
}

std::string encode(const HoldRequest& request) {
  return encode(ReleaseRequest{request.knob, request.column_family});
}

std::string encode(const OpTraceRequest& request) {
  JsonWriter out;
  out.begin_object();
  out.field("action", request.action);
  out.field("directory", request.directory);
  out.field("max_bytes", request.max_bytes);
  out.field("seconds", request.seconds);
  out.field("keep_one_read_of", request.keep_one_read_of);
  out.field("checkpoint", request.checkpoint);
  out.field("force", request.force);
  out.end_object();
  return out.take();
}

std::string encode(const OpTrace& trace) {
  JsonWriter out;
  out.begin_object();
  out.field("state", trace.state);
  out.field("why_ended", trace.why_ended);
  out.field("problem", trace.problem);
  out.field("directory", trace.directory);
  out.field("begin_wall_ns", trace.begin_wall_ns);
  out.field("elapsed_seconds", trace.elapsed_seconds);
  out.field("seconds", trace.seconds);
  out.field("max_bytes", trace.max_bytes);
  out.field("keep_one_read_of", trace.keep_one_read_of);
  out.field("bytes", trace.bytes);
  out.field("writes", trace.writes);
  out.field("gets", trace.gets);
  out.field("multigets", trace.multigets);
  out.field("seeks", trace.seeks);
  out.field("reads_left_out", trace.reads_left_out);
  out.field("checkpoint", trace.checkpoint);
  out.field("checkpoint_seconds", trace.checkpoint_seconds);
  if (trace.writer_ns_per_operation) {
    out.field("writer_ns_per_operation", *trace.writer_ns_per_operation);
  }
  out.end_object();
  return out.take();
}

std::string encode(const Error& error) {
  JsonWriter out;
  out.begin_object();
  out.key("error");
  out.begin_object();
  out.field("code", error.code);
  out.field("message", error.message);
  out.end_object();
  out.end_object();
  return out.take();
}

}  // namespace rocktune::wire
