#include "trace/op_recording.h"

#include "trace/json_text.h"

namespace rocktune::trace {
namespace {

// What both directions go through.
template <class Recording, class Visit>
void visit_recording(Recording& recording, Visit&& visit) {
  visit("database", recording.database);
  visit("pid", recording.pid);
  visit("command", recording.command);
  visit("rocksdb_version", recording.rocksdb_version);
  visit("begin", recording.begin);
  visit("seconds", recording.seconds);
  visit("state", recording.state);
  visit("why_ended", recording.why_ended);
  visit("problem", recording.problem);
  visit("bytes", recording.bytes);
  visit("writes", recording.writes);
  visit("gets", recording.gets);
  visit("multigets", recording.multigets);
  visit("seeks", recording.seeks);
  visit("keep_one_read_of", recording.keep_one_read_of);
  visit("reads_left_out", recording.reads_left_out);
  visit("checkpoint", recording.checkpoint);
  visit("options_file", recording.options_file);
}

// What may be absent.
template <class Recording, class Visit>
void visit_optional(Recording& recording, Visit&& visit) {
  visit("crc32", recording.crc32);
  visit("checkpoint_files", recording.checkpoint_files);
  visit("block_cache_bytes", recording.block_cache_bytes);
  visit("rate_limit_bytes_per_second", recording.rate_limit_bytes_per_second);
  visit("found_knobs", recording.found_knobs);
  visit("writer_ns_per_operation", recording.writer_ns_per_operation);
}

}  // namespace

std::uint64_t operations_of(const OpRecording& recording) {
  return recording.writes + recording.gets + recording.multigets + recording.seeks;
}

std::string encode(const OpRecording& recording) {
  Json json{{"schema", kOpManifestSchema}, {"operations", operations_of(recording)}};
  visit_recording(recording, [&](const char* name, const auto& value) { json[name] = value; });
  visit_optional(recording, [&](const char* name, const auto& value) {
    if (value) json[name] = *value;
  });
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<OpRecording> decode_op_recording(const std::string& text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::kCorrupt, file + " is no JSON object");
  const auto schema = json.find("schema");
  if (schema == json.end() || *schema != kOpManifestSchema) {
    return fail(ErrorCode::kUnsupported,
                file + " is no recording of operations that this version reads (schema " +
                    kOpManifestSchema + ")");
  }
  OpRecording recording;
  std::string wrong;
  const auto read = [&](const char* name, auto& value) {
    try {
      json.at(name).get_to(value);
    } catch (const Json::exception&) {
      if (wrong.empty()) wrong = name;
    }
  };
  visit_recording(recording, read);
  visit_optional(recording, [&](const char* name, auto& value) {
    if (json.contains(name)) read(name, value.emplace());
  });
  if (!wrong.empty()) {
    return fail(ErrorCode::kCorrupt, file + ": " + wrong + " is missing or of the wrong type");
  }
  return recording;
}

}  // namespace rocktune::trace
