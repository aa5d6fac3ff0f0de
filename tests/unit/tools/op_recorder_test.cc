// What `rocktune record-ops` says and keeps.
#include "tools/op_recorder.h"

#include <sys/stat.h>

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

namespace rocktune::tools {
namespace {

namespace fs = std::filesystem;

wire::OpTrace recorded_status(const std::string& directory) {
  wire::OpTrace status;
  status.state = "ended";
  status.why_ended = "time";
  status.directory = directory;
  status.begin_wall_ns = 1'000'000'000;
  status.elapsed_seconds = 60;
  status.seconds = 60;
  status.max_bytes = std::uint64_t{1} << 30;
  status.bytes = std::uint64_t{3} << 20;
  status.writes = 1200;
  status.gets = 300;
  status.seeks = 40;
  status.checkpoint = true;
  return status;
}

AgentDatabase recorded_database() {
  AgentDatabase database;
  database.path = "/data/orders";
  database.pid = 12;
  database.command = "host";
  database.rocksdb_version = "7.8.3";
  return database;
}

TEST_CASE("progress is one line") {
  CHECK(recording_line(recorded_status("/d")) ==
        "60.0 s of 60.0 s   3 MiB of 1 GiB   1.20k writes, 340 reads");
}

TEST_CASE("why a recording ended is said, and whether that was asked for") {
  auto status = recorded_status("/d");
  CHECK(ended_as_asked(status));
  CHECK(recording_lines(status)[1] == "state       ended: its time was over");
  status.why_ended = "disk_full";
  status.problem = "No space left on device";
  CHECK_FALSE(ended_as_asked(status));
  CHECK_THAT(recording_lines(status)[1], Catch::Matchers::Contains("(No space left on device)"));
  CHECK(recording_lines({}) == std::vector<std::string>{"nothing is recorded"});
}

TEST_CASE("the manifest names the newest options of the checkpoint") {
  const rocktune::tests::TempDirectory directory;
  fs::create_directory(directory.file("checkpoint"));
  const auto now = [&] {
    return op_recording(recorded_database(), {std::int64_t{1} << 20, std::nullopt},
                        recorded_status(directory.path()));
  };
  CHECK(now().options_file.empty());
  static_cast<void>(directory.write("checkpoint/OPTIONS-000007", ""));
  static_cast<void>(directory.write("checkpoint/OPTIONS-000012", ""));
  const auto recording = now();
  REQUIRE(write_manifest(recording, directory.path()).has_value());
  CHECK(recording.block_cache_bytes == std::int64_t{1} << 20);
  CHECK(recording.options_file == "checkpoint/OPTIONS-000012");
  CHECK(recording.begin == "1970-01-01T00:00:01.000Z");
  CHECK(fs::exists(directory.file(trace::kOpManifestName)));
}

TEST_CASE("every recording has a directory of its own") {
  const rocktune::tests::TempDirectory directory;
  const auto made = prepare_recording_directory(directory.file("new") + "/", recorded_database());
  REQUIRE(made.has_value());
  CHECK(*made == directory.file("new"));
  struct stat info{};
  REQUIRE(::stat(made->c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK(prepare_recording_directory(*made, recorded_database()).has_value());  // empty still
  static_cast<void>(directory.write("new/manifest.json", ""));
  CHECK_FALSE(prepare_recording_directory(*made, recorded_database()).has_value());
  CHECK_FALSE(prepare_recording_directory(directory.file("a/b"), recorded_database()).has_value());
}

}  // namespace
}  // namespace rocktune::tools
