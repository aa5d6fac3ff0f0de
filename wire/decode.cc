// JSON to wire messages. Identity and values are required; lists, maps and descriptions may be
// absent, and what is not known is ignored, so that versions can differ by optional fields.
#include <stdexcept>
#include <utility>

#include "wire/codec.h"
#include "wire/fields.h"

namespace rocktune::wire {
namespace {

using Json = JsonReader::Json;

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
  fields.tick("tick_ns", out.tick_ns);
  fields.required("wall_ns", out.wall_ns);
  fields.optional("tickers", out.tickers);
  fields.optional("histograms", out.histograms);
  fields.optional("properties", out.properties);
  fields.optional("cache", out.cache);
  fields.optional("limiter", out.limiter);
  fields.optional("write_buffer_manager", out.write_buffer_manager);
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
  fields.optional("hold", out.hold);
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

void get(JsonReader& reader, const Json& json, const Where& where, HoldRequest& out) {
  Fields fields(reader, json, where);
  fields.required("knob", out.knob);
  fields.optional("column_family", out.column_family);
}

void get(JsonReader& reader, const Json& json, const Where& where, OpTraceRequest& out) {
  // A day, and more than one disk has: bounds against slips, not for machines.
  constexpr double kMostSeconds = 86400;
  constexpr std::uint64_t kLeastBytes = std::uint64_t{64} << 10;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
  Fields fields(reader, json, where);
  fields.required("action", out.action);
  fields.one_of("action", out.action, {"start", "stop", "status"});
  if (out.action != "start") return;
  fields.required("directory", out.directory);
  fields.filled("directory", out.directory);
  fields.required("max_bytes", out.max_bytes);
  fields.check("max_bytes", out.max_bytes >= kLeastBytes && out.max_bytes <= kMostBytes,
               "must be between 64 KiB and 1 PiB");
  fields.required("seconds", out.seconds);
  fields.check("seconds", out.seconds > 0 && out.seconds <= kMostSeconds,
               "must be above 0 and at most 86400");
  fields.optional("keep_one_read_of", out.keep_one_read_of);
  fields.check("keep_one_read_of", out.keep_one_read_of >= 1, "must be at least 1");
  fields.optional("checkpoint", out.checkpoint);
  fields.optional("force", out.force);
}

void get(JsonReader& reader, const Json& json, const Where& where, OpTrace& out) {
  Fields fields(reader, json, where);
  fields.required("state", out.state);
  fields.one_of("state", out.state, {"none", "recording", "ending", "ended"});
  fields.optional("why_ended", out.why_ended);
  fields.optional("problem", out.problem);
  fields.optional("directory", out.directory);
  fields.optional("begin_wall_ns", out.begin_wall_ns);
  fields.optional("elapsed_seconds", out.elapsed_seconds);
  fields.optional("seconds", out.seconds);
  fields.optional("max_bytes", out.max_bytes);
  fields.optional("keep_one_read_of", out.keep_one_read_of);
  fields.optional("bytes", out.bytes);
  fields.optional("writes", out.writes);
  fields.optional("gets", out.gets);
  fields.optional("multigets", out.multigets);
  fields.optional("seeks", out.seeks);
  fields.optional("reads_left_out", out.reads_left_out);
  fields.optional("checkpoint", out.checkpoint);
  fields.optional("checkpoint_seconds", out.checkpoint_seconds);
  fields.optional("writer_ns_per_operation", out.writer_ns_per_operation);
}

struct ErrorEnvelope {
  Error error;
};

void get(JsonReader& reader, const Json& json, const Where& where, ErrorEnvelope& out) {
  Fields(reader, json, where).required("error", out.error);
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
template Decoded<HoldRequest> decode<HoldRequest>(std::string_view);
template Decoded<OpTraceRequest> decode<OpTraceRequest>(std::string_view);
template Decoded<OpTrace> decode<OpTrace>(std::string_view);

}  // namespace rocktune::wire
