// JSON to wire messages. Identity and values are required; lists, maps and descriptions may be
// absent, and what is not known is ignored, so that versions can differ by optional fields.
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "wire/codec.h"
#include "wire/json_reader.h"

namespace rocktune::wire {
namespace {

using Json = JsonReader::Json;

// The fields of one JSON object.
class Fields {
 public:
  Fields(JsonReader& reader, const Json& json, const Where& where)
      : reader_(reader), json_(json), where_(where), usable_(reader.expect_object(json, where)) {}

  template <class T>
  void required(std::string_view name, T& out) {
    if (const Json* found = find(name)) {
      get(*found, name, out);
    } else {
      reader_.fail(at(name), "is missing");
    }
  }

  template <class T>
  void optional(std::string_view name, T& out) {
    if (const Json* found = find(name)) get(*found, name, out);
  }
  template <class T>
  void optional(std::string_view name, std::optional<T>& out) {
    if (const Json* found = find(name)) get(*found, name, out.emplace());
  }

  void one_of(std::string_view name, const std::string& value,
              std::initializer_list<std::string_view> allowed) {
    std::string list;
    for (const auto candidate : allowed) {
      if (value == candidate) return;
      list += (list.empty() ? "" : ", ") + std::string(candidate);
    }
    check(name, false, "must be one of " + list);
  }
  void check(std::string_view name, bool good, std::string_view what) {
    if (!good) reader_.fail(at(name), what);
  }
  void filled(std::string_view name, const std::string& text) {
    check(name, !text.empty(), "must not be empty");
  }

 private:
  [[nodiscard]] Where at(std::string_view name) const { return Where{&where_, name, {}}; }
  [[nodiscard]] const Json* find(std::string_view name) const {
    if (!usable_ || !reader_.ok()) return nullptr;
    const auto it = json_.find(name);
    return it == json_.end() ? nullptr : &*it;
  }
  template <class T>
  void get(const Json& json, std::string_view name, T& out);

  JsonReader& reader_;
  const Json& json_;
  const Where& where_;
  bool usable_;
};

template <class T>
concept Scalar =
    requires(JsonReader& r, const Json& j, const Where& w, T& out) { r.read(j, w, out); };

template <Scalar T>
void get(JsonReader& reader, const Json& json, const Where& where, T& out) {
  reader.read(json, where, out);
}

void get(JsonReader& reader, const Json& json, const Where& where, Histogram::Bucket& out) {
  if (!reader.expect_array(json, where)) return;
  if (json.size() != 3) return reader.fail(where, "must be [lower, upper, count]");
  reader.read(json[0], where, out.lower_us);
  reader.read(json[1], where, out.upper_us);
  reader.read(json[2], where, out.count);
  if (reader.ok() && out.lower_us >= out.upper_us) reader.fail(where, "lower must be below upper");
}

void get(JsonReader& reader, const Json& json, const Where& where, Database& out) {
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

void get(JsonReader& reader, const Json& json, const Where& where, Histogram& out) {
  Fields fields(reader, json, where);
  fields.required("sum_us", out.sum_us);
  fields.required("buckets", out.buckets);
  for (std::size_t i = 1; i < out.buckets.size(); ++i) {
    fields.check("buckets", out.buckets[i - 1].upper_us <= out.buckets[i].lower_us,
                 "must rise and not overlap");
  }
}

void get(JsonReader& reader, const Json& json, const Where& where, Level& out) {
  Fields fields(reader, json, where);
  fields.required("files", out.files);
  fields.required("bytes", out.bytes);
}

void get(JsonReader& reader, const Json& json, const Where& where, L0Compactions& out) {
  Fields fields(reader, json, where);
  fields.required("input_files", out.input_files);
  fields.required("input_bytes", out.input_bytes);
  fields.optional("output_bytes", out.output_bytes);
  fields.required("age_ms", out.age_ms);
}

void get(JsonReader& reader, const Json& json, const Where& where, Jobs& out) {
  Fields fields(reader, json, where);
  fields.required("flushes", out.flushes);
  fields.optional("last_flush_age_ms", out.last_flush_age_ms);
  fields.required("l0_compactions", out.l0_compactions);
  fields.required("l0_compactions_ms", out.l0_compactions_ms);
  fields.required("l0_compactions_input_bytes", out.l0_compactions_input_bytes);
  fields.required("deep_compactions", out.deep_compactions);
  fields.required("deep_compactions_ms", out.deep_compactions_ms);
  fields.required("deep_running_level", out.deep_running_level);
  fields.required("deep_running_age_ms", out.deep_running_age_ms);
}

void get(JsonReader& reader, const Json& json, const Where& where, ColumnFamily& out) {
  Fields fields(reader, json, where);
  fields.required("name", out.name);
  fields.optional("properties", out.properties);
  fields.optional("options", out.options);
  fields.optional("levels", out.levels);
  fields.optional("l0_compactions", out.l0_compactions);
  fields.optional("jobs", out.jobs);
}

void get(JsonReader& reader, const Json& json, const Where& where, Knob& out) {
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
}

void get(JsonReader& reader, const Json& json, const Where& where, KnobDetails& out) {
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

void get(JsonReader& reader, const Json& json, const Where& where, Knobs::Entry& out) {
  get(reader, json, where, out.knob);
  get(reader, json, where, out.details);
}

void get(JsonReader& reader, const Json& json, const Where& where, Lease& out) {
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

void get(JsonReader& reader, const Json& json, const Where& where, Change& out) {
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

void get(JsonReader& reader, const Json& json, const Where& where, ChangeResult& out) {
  Fields fields(reader, json, where);
  fields.required("id", out.id);
  fields.required("status", out.status);
  fields.one_of("status", out.status,
                {"applied", "unchanged", "refused", "conflict", "failed", "mismatch"});
  fields.optional("reason", out.reason);
  fields.required("before", out.before);
  fields.required("after", out.after);
  fields.optional("column_family", out.column_family);
}

void get(JsonReader& reader, const Json& json, const Where& where, Event& out) {
  Fields fields(reader, json, where);
  fields.required("sequence", out.sequence);
  fields.check("sequence", out.sequence > 0, "must be at least 1");
  fields.required("tick_ns", out.tick_ns);
  fields.required("wall_ns", out.wall_ns);
  fields.required("kind", out.kind);
  fields.filled("kind", out.kind);
  fields.optional("column_family", out.column_family);
  fields.optional("numbers", out.numbers);
  fields.optional("words", out.words);
}

template <class T>
void get(JsonReader& reader, const Json& json, const Where& where, std::vector<T>& out) {
  if (!reader.expect_array(json, where)) return;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size() && reader.ok(); ++i) {
    get(reader, json[i], Where{&where, {}, i}, out.emplace_back());
  }
}

template <class T>
void get(JsonReader& reader, const Json& json, const Where& where, std::map<std::string, T>& out) {
  if (!reader.expect_object(json, where)) return;
  for (const auto& [key, value] : json.items()) {
    get(reader, value, Where{&where, key, {}}, out[key]);
    if (!reader.ok()) return;
  }
}

void get(JsonReader& reader, const Json& json, const Where& where, Hello& out) {
  Fields fields(reader, json, where);
  fields.required("version", out.version);
  fields.check("version", out.version >= 1, "must be at least 1");
  fields.optional("agent_version", out.agent_version);
  fields.optional("rocksdb_version", out.rocksdb_version);
  fields.required("pid", out.pid);
  fields.check("pid", out.pid > 0, "must be above 0");
  fields.optional("command", out.command);
  fields.required("instance", out.instance);
  fields.filled("instance", out.instance);
  fields.required("mode", out.mode);
  fields.one_of("mode", out.mode, {"rw", "ro"});
  fields.optional("capabilities", out.capabilities);
}

void get(JsonReader& reader, const Json& json, const Where& where, DatabaseList& out) {
  Fields(reader, json, where).required("databases", out.databases);
}

void get(JsonReader& reader, const Json& json, const Where& where, Knobs& out) {
  Fields(reader, json, where).required("knobs", out.knobs);
}

void get(JsonReader& reader, const Json& json, const Where& where, Sample& out) {
  Fields fields(reader, json, where);
  fields.required("sequence", out.sequence);
  fields.required("tick_ns", out.tick_ns);
  fields.required("wall_ns", out.wall_ns);
  fields.optional("tickers", out.tickers);
  fields.optional("histograms", out.histograms);
  fields.optional("properties", out.properties);
  fields.optional("cache", out.cache);
  fields.optional("limiter", out.limiter);
  fields.optional("column_families", out.column_families);
  fields.optional("knobs", out.knobs);
  fields.optional("lease", out.lease);
  fields.optional("next_event", out.next_event);
}

void get(JsonReader& reader, const Json& json, const Where& where, Events& out) {
  Fields fields(reader, json, where);
  fields.required("events", out.events);
  for (std::size_t i = 1; i < out.events.size(); ++i) {
    fields.check("events", out.events[i - 1].sequence < out.events[i].sequence,
                 "must be in the order of their sequence");
  }
  fields.optional("missed", out.missed);
  fields.required("next_event", out.next_event);
}

void get(JsonReader& reader, const Json& json, const Where& where, Options& out) {
  Fields fields(reader, json, where);
  fields.required("database", out.database);
  fields.required("column_families", out.column_families);
}

void get(JsonReader& reader, const Json& json, const Where& where, ChangesRequest& out) {
  constexpr std::size_t kMaxChanges = 256;
  Fields fields(reader, json, where);
  fields.required("holder", out.holder);
  fields.filled("holder", out.holder);
  fields.required("changes", out.changes);
  fields.check("changes", out.changes.size() <= kMaxChanges, "must have at most 256 entries");
}

void get(JsonReader& reader, const Json& json, const Where& where, ChangeResults& out) {
  Fields(reader, json, where).required("results", out.results);
}

void get(JsonReader& reader, const Json& json, const Where& where, RestoreRequest& out) {
  Fields(reader, json, where).optional("hold", out.hold);
}

void get(JsonReader& reader, const Json& json, const Where& where, ReleaseRequest& out) {
  Fields fields(reader, json, where);
  fields.optional("knob", out.knob);
  fields.optional("column_family", out.column_family);
}

struct ErrorEnvelope {
  Error error;
};

void get(JsonReader& reader, const Json& json, const Where& where, Error& out) {
  Fields fields(reader, json, where);
  fields.required("code", out.code);
  fields.required("message", out.message);
}

void get(JsonReader& reader, const Json& json, const Where& where, ErrorEnvelope& out) {
  Fields(reader, json, where).required("error", out.error);
}

template <class T>
void Fields::get(const Json& json, std::string_view name, T& out) {
  wire::get(reader_, json, at(name), out);
}

// While it parses, the library builds a tree that can take a hundred times the room of the text:
// what is deeper or has more values than any message of ours is refused before it has grown.
Json parse(std::string_view text) {
  std::size_t events = 0;
  return Json::parse(text, [&events](int depth, Json::parse_event_t, const Json&) {
    if (depth > kMaxDepth) throw std::length_error("it is nested too deeply");
    if (++events > kMaxEvents) throw std::length_error("it has too many values");
    return true;
  });
}

template <class T>
Decoded<T> decode_message(std::string_view text) try {
  if (text.size() > kMaxMessageBytes) {
    return tl::unexpected<std::string>("the message: is larger than 32 MiB");
  }
  const Json json = parse(text);
  JsonReader reader;
  T message;
  get(reader, json, Where{}, message);
  if (!reader.ok()) return tl::unexpected<std::string>(reader.error());
  return message;
} catch (const Json::parse_error& error) {
  return tl::unexpected<std::string>("the message: is not JSON (it goes wrong at byte " +
                                     std::to_string(error.byte) + " of " +
                                     std::to_string(text.size()) + ")");
} catch (const std::exception& error) {
  return tl::unexpected<std::string>("the message: cannot be read: " + std::string(error.what()));
}

}  // namespace

template <class T>
Decoded<T> decode(std::string_view json) {
  return decode_message<T>(json);
}

template <>
Decoded<Error> decode<Error>(std::string_view json) {
  return decode_message<ErrorEnvelope>(json).map(
      [](ErrorEnvelope&& envelope) { return std::move(envelope.error); });
}

template Decoded<Hello> decode<Hello>(std::string_view);
template Decoded<DatabaseList> decode<DatabaseList>(std::string_view);
template Decoded<Sample> decode<Sample>(std::string_view);
template Decoded<Options> decode<Options>(std::string_view);
template Decoded<Events> decode<Events>(std::string_view);
template Decoded<Knobs> decode<Knobs>(std::string_view);
template Decoded<ChangesRequest> decode<ChangesRequest>(std::string_view);
template Decoded<ChangeResults> decode<ChangeResults>(std::string_view);
template Decoded<Lease> decode<Lease>(std::string_view);
template Decoded<RestoreRequest> decode<RestoreRequest>(std::string_view);
template Decoded<ReleaseRequest> decode<ReleaseRequest>(std::string_view);

}  // namespace rocktune::wire
