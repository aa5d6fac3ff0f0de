// What messages are made of, from JSON.
#include "wire/fields.h"

namespace rocktune::wire {

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where,
         Histogram::Bucket& out) {
  if (!reader.expect_array(json, where)) return;
  if (json.size() != 3) return reader.fail(where, "must be [lower, upper, count]");
  reader.read(json[0], where, out.lower_us);
  reader.read(json[1], where, out.upper_us);
  reader.read(json[2], where, out.count);
  if (reader.ok() && out.lower_us >= out.upper_us) reader.fail(where, "lower must be below upper");
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Database& out) {
  Fields fields(reader, json, where);
  fields.required("id", out.id);
  fields.filled("id", out.id);
  fields.required("path", out.path);
  fields.optional("data_paths", out.data_paths);
  fields.required("access", out.access);
  fields.one_of("access", out.access, {"read_write", "read_only", "secondary"});
  fields.required("tunable", out.tunable);
  fields.optional("reason", out.reason);
  fields.optional("limiter", out.limiter);
  fields.optional("statistics", out.statistics);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Histogram& out) {
  Fields fields(reader, json, where);
  fields.required("sum_us", out.sum_us);
  fields.required("buckets", out.buckets);
  for (std::size_t i = 1; i < out.buckets.size(); ++i) {
    fields.check("buckets", out.buckets[i - 1].upper_us <= out.buckets[i].lower_us,
                 "must rise and not overlap");
  }
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Level& out) {
  Fields fields(reader, json, where);
  fields.required("files", out.files);
  fields.required("bytes", out.bytes);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, L0Compactions& out) {
  Fields fields(reader, json, where);
  fields.required("input_files", out.input_files);
  fields.required("input_bytes", out.input_bytes);
  fields.optional("output_bytes", out.output_bytes);
  fields.required("age_ms", out.age_ms);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Jobs& out) {
  Fields fields(reader, json, where);
  fields.required("flushes", out.flushes);
  fields.optional("last_flush_age_ms", out.last_flush_age_ms);
  fields.required("l0_compactions", out.l0_compactions);
  fields.required("l0_compactions_ms", out.l0_compactions_ms);
  fields.required("l0_compactions_input_bytes", out.l0_compactions_input_bytes);
  fields.optional("l0_compactions_other_bytes", out.l0_compactions_other_bytes);
  fields.required("deep_compactions", out.deep_compactions);
  fields.required("deep_compactions_ms", out.deep_compactions_ms);
  fields.required("deep_running_level", out.deep_running_level);
  fields.required("deep_running_age_ms", out.deep_running_age_ms);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, ColumnFamily& out) {
  Fields fields(reader, json, where);
  fields.required("name", out.name);
  fields.optional("properties", out.properties);
  fields.optional("options", out.options);
  fields.optional("levels", out.levels);
  fields.optional("l0_compactions", out.l0_compactions);
  fields.optional("jobs", out.jobs);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Knob& out) {
  Fields fields(reader, json, where);
  fields.required("name", out.name);
  fields.filled("name", out.name);
  fields.optional("column_family", out.column_family);
  fields.required("value", out.value);
  fields.required("found", out.found);
  fields.required("owner", out.owner);
  fields.one_of("owner", out.owner, {"found", "rocktune", "manual"});
  fields.required("changeable", out.changeable);
  fields.optional("reason", out.reason);
  fields.required("min", out.min);
  fields.required("max", out.max);
  fields.check("max", out.min <= out.max, "must not be below min");
  fields.optional("databases", out.databases);
  fields.check("databases", out.databases > 0, "must not be 0");
  fields.optional("object", out.object);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, KnobDetails& out) {
  Fields fields(reader, json, where);
  fields.required("scope", out.scope);
  fields.one_of("scope", out.scope, {"database", "column_family", "cache", "limiter"});
  fields.required("type", out.type);
  fields.one_of("type", out.type, {"integer", "boolean"});
  fields.optional("unit", out.unit);
  fields.optional("special", out.special);
  fields.optional("special_means", out.special_means);
  fields.optional("relations", out.relations);
  fields.optional("cost", out.cost);
  fields.optional("side_effects", out.side_effects);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Knobs::Entry& out) {
  get(reader, json, where, out.knob);
  get(reader, json, where, out.details);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Lease& out) {
  constexpr double kMaxSeconds = 86400;
  out.on_expiry = "restore";
  Fields fields(reader, json, where);
  fields.required("holder", out.holder);
  fields.filled("holder", out.holder);
  fields.required("seconds", out.seconds);
  fields.check("seconds", out.seconds > 0 && out.seconds <= kMaxSeconds,
               "must be above 0 and at most 86400");
  fields.optional("on_expiry", out.on_expiry);
  fields.one_of("on_expiry", out.on_expiry, {"restore", "keep"});
  fields.optional("remaining_seconds", out.remaining_seconds);
  fields.check("remaining_seconds", out.remaining_seconds.value_or(0) >= 0, "must not be negative");
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Change& out) {
  constexpr std::size_t kMaxId = 128;
  Fields fields(reader, json, where);
  fields.required("id", out.id);
  fields.check("id", !out.id.empty() && out.id.size() <= kMaxId, "must have 1 to 128 bytes");
  fields.required("knob", out.knob);
  fields.filled("knob", out.knob);
  fields.optional("column_family", out.column_family);
  fields.required("value", out.value);
  fields.optional("expect", out.expect);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, ChangeResult& out) {
  Fields fields(reader, json, where);
  fields.required("id", out.id);
  fields.required("status", out.status);
  fields.one_of("status", out.status,
                {"applied", "unchanged", "refused", "conflict", "failed", "mismatch", "manual"});
  fields.optional("reason", out.reason);
  fields.required("before", out.before);
  fields.required("after", out.after);
  fields.optional("column_family", out.column_family);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Event& out) {
  Fields fields(reader, json, where);
  fields.required("sequence", out.sequence);
  fields.check("sequence", out.sequence > 0, "must be at least 1");
  fields.tick("tick_ns", out.tick_ns);
  fields.required("wall_ns", out.wall_ns);
  fields.required("kind", out.kind);
  fields.filled("kind", out.kind);
  fields.optional("column_family", out.column_family);
  fields.optional("numbers", out.numbers);
  fields.optional("words", out.words);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Error& out) {
  Fields fields(reader, json, where);
  fields.required("code", out.code);
  fields.required("message", out.message);
}

}  // namespace rocktune::wire
