// The manifest of a recording of operations.
#include "trace/op_recording.h"

#include "tests/support/catch.h"

namespace rocktune::trace {
namespace {

OpRecording op_recording() {
  OpRecording recording;
  recording.database = "/data/\"orders\"";
  recording.pid = 4711;
  recording.command = "db_bench";
  recording.rocksdb_version = "7.8.3";
  recording.begin = "2026-01-31T12:00:00.250Z";
  recording.seconds = 59.5;
  recording.state = "ended";
  recording.why_ended = "disk_full";
  recording.problem = "No space left on device";
  recording.bytes = std::uint64_t{1} << 40;
  recording.writes = 1;
  recording.gets = 2;
  recording.multigets = 3;
  recording.seeks = 4;
  recording.crc32 = 0xfedcba98;
  recording.keep_one_read_of = 10;
  recording.reads_left_out = 18;
  recording.checkpoint = true;
  recording.checkpoint_files = {{"000012.sst", std::uint64_t{1} << 33}, {"CURRENT", 16}};
  recording.options_file = "checkpoint/OPTIONS-000012";
  recording.block_cache_bytes = std::int64_t{8} << 20;
  recording.rate_limit_bytes_per_second = 1000;
  recording.found_knobs = {{"", {{"max_background_jobs", 2}}},
                           {"hot", {{"write_buffer_size", std::int64_t{1} << 33}}}};
  recording.writer_ns_per_operation = 71.5;
  return recording;
}

TEST_CASE("a manifest survives the round trip") {
  const auto text = encode(op_recording());
  const auto again = decode_op_recording(text, "manifest.json");
  REQUIRE(again.has_value());
  CHECK(encode(*again) == text);
  CHECK(again->bytes == std::uint64_t{1} << 40);
  CHECK(again->crc32 == 0xfedcba98);
  CHECK(again->checkpoint_files == op_recording().checkpoint_files);
  CHECK(operations_of(*again) == 10);
  CHECK_THAT(text, Catch::Matchers::Contains("\"operations\": 10"));
  CHECK(again->options_file == "checkpoint/OPTIONS-000012");
  CHECK(again->writer_ns_per_operation == 71.5);
  CHECK(again->block_cache_bytes == std::int64_t{8} << 20);
  CHECK(again->found_knobs == op_recording().found_knobs);
  auto untimed = op_recording();
  untimed.found_knobs = std::nullopt;  // as of earlier versions
  CHECK_FALSE(decode_op_recording(encode(untimed), "x")->found_knobs.has_value());
  untimed.writer_ns_per_operation = std::nullopt;
  CHECK_FALSE(decode_op_recording(encode(untimed), "x")->writer_ns_per_operation.has_value());
}

TEST_CASE("a manifest of an earlier version, and of a recording under way, has no checksum") {
  auto recording = op_recording();
  recording.crc32 = std::nullopt;
  recording.checkpoint_files = std::nullopt;
  const auto text = encode(recording);
  CHECK(text.find("crc32") == std::string::npos);
  const auto again = decode_op_recording(text, "manifest.json");
  REQUIRE(again.has_value());
  CHECK_FALSE(again->crc32.has_value());
  CHECK_FALSE(again->checkpoint_files.has_value());
}

TEST_CASE("what is no manifest is refused by name") {
  const auto refusal = [](const std::string& text) {
    const auto decoded = decode_op_recording(text, "d/manifest.json");
    REQUIRE_FALSE(decoded.has_value());
    return decoded.error().message;
  };
  CHECK(refusal("nonsense") == "d/manifest.json is no JSON object");
  CHECK_THAT(refusal(R"({"schema":"rocktune-op-recording/2"})"),
             Catch::Matchers::Contains("this version reads"));
  auto text = encode(op_recording());
  const auto place = text.find("\"writes\": 1,");
  REQUIRE(place != std::string::npos);
  CHECK(refusal(text.replace(place, 12, "\"writes\": \"1\",")) ==
        "d/manifest.json: writes is missing or of the wrong type");
}

}  // namespace
}  // namespace rocktune::trace
