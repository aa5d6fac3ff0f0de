// What `rocktune record-ops` says and keeps.
#include "tools/op_recorder.h"

#include <sys/stat.h>
#include <unistd.h>

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

TEST_CASE("what rocktune has turned is recorded as it was found") {
  const auto knob = [](const char* name, const char* family, std::int64_t value, std::int64_t found,
                       const char* owner) {
    wire::Knob one;
    one.name = name;
    one.column_family = family;
    one.value = value;
    one.found = found;
    one.owner = owner;
    return one;
  };
  wire::Sample sample;
  sample.cache["capacity_bytes"] = 24 << 20;
  CHECK(objects_of(sample).found_knobs == trace::FoundKnobs());
  CHECK(objects_of(sample).block_cache_bytes == 24 << 20);
  CHECK_FALSE(objects_of(sample).rate_limit_bytes_per_second.has_value());
  sample.knobs = {knob("rate_limiter_bytes_per_second", "", 128 << 20, 8 << 20, "rocktune"),
                  knob("block_cache_capacity_bytes", "", 24 << 20, 32 << 20, "rocktune"),
                  knob("max_background_jobs", "", 4, 2, "rocktune"),
                  knob("max_subcompactions", "", 3, 1, "manual"),
                  knob("write_buffer_size", "hot", 8 << 20, 4 << 20, "rocktune"),
                  knob("write_buffer_size", "default", 4 << 20, 4 << 20, "found")};
  const auto objects = objects_of(sample);
  CHECK(objects.rate_limit_bytes_per_second == 8 << 20);
  CHECK(objects.block_cache_bytes == 32 << 20);
  CHECK(objects.found_knobs == trace::FoundKnobs{{"", {{"max_background_jobs", 2}}},
                                                 {"hot", {{"write_buffer_size", 4 << 20}}}});
  CHECK(op_recording(recorded_database(), objects, recorded_status("/d")).found_knobs ==
        objects.found_knobs);
  auto early = objects_of({});
  add_found_since(early, objects);
  CHECK(early.found_knobs == objects.found_knobs);
  auto known = objects;
  known.found_knobs->at("").at("max_background_jobs") = 3;
  add_found_since(known, objects);
  CHECK(known.found_knobs->at("").at("max_background_jobs") == 3);
  sample.knobs = {knob("rate_limiter_bytes_per_second", "", 128 << 20, 8 << 20, "manual")};
  CHECK(objects_of(sample).rate_limit_bytes_per_second == 128 << 20);
  sample.knobs = {
      knob("rate_limiter_bytes_per_second", "", 8 << 20, std::int64_t{1} << 40, "rocktune")};
  CHECK_FALSE(objects_of(sample).rate_limit_bytes_per_second.has_value());
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
  static_cast<void>(directory.write("checkpoint/OPTIONS-000012", "abc"));
  const auto recording = now();
  const auto held = RecordingDirectory::find(directory.path(), recorded_database());
  REQUIRE(held.has_value());
  REQUIRE(held->write_manifest(recording).has_value());
  CHECK(recording.block_cache_bytes == std::int64_t{1} << 20);
  CHECK(recording.options_file == "checkpoint/OPTIONS-000012");
  CHECK(recording.checkpoint_files ==
        std::map<std::string, std::uint64_t>{{"OPTIONS-000007", 0}, {"OPTIONS-000012", 3}});
  CHECK(recording.begin == "1970-01-01T00:00:01.000Z");
  CHECK(fs::exists(directory.file(trace::kOpManifestName)));
}

TEST_CASE("the newest options are those of the largest number") {
  const rocktune::tests::TempDirectory directory;
  fs::create_directory(directory.file("checkpoint"));
  for (const char* name : {"OPTIONS-999999", "OPTIONS-1000000", "OPTIONS-1000001.dbtmp", "OPTIONS-",
                           "OPTIONS-x", "SUMMARY-2000000"}) {
    static_cast<void>(directory.write(std::string("checkpoint/") + name, ""));
  }
  const auto recording = op_recording(recorded_database(), {}, recorded_status(directory.path()));
  CHECK(recording.options_file == "checkpoint/OPTIONS-1000000");
}

TEST_CASE("a recording that has ended is counted by what is in its file") {
  const rocktune::tests::TempDirectory directory;
  const auto now = [&] {
    return ended_recording(recorded_database(), {}, recorded_status(directory.path()));
  };
  CHECK_FALSE(now().has_value());  // no file
  const std::string get = std::string(8, 't') + '\x04' + std::string(4, '\0');
  static_cast<void>(directory.write("ops.trace", get + get));
  const auto recording = now();
  REQUIRE(recording.has_value());
  CHECK(recording->bytes == 26);
  CHECK(recording->gets == 2);
  CHECK(recording->writes == 0);
  CHECK(recording->crc32.has_value());
  // While it goes on nobody knows.
  CHECK_FALSE(
      op_recording(recorded_database(), {}, recorded_status(directory.path())).crc32.has_value());
}

TEST_CASE("root gives the directory to the database's user") {
  if (::geteuid() != 0) return;  // only root can give it away
  const rocktune::tests::TempDirectory directory;
  AgentDatabase database = recorded_database();
  database.socket = directory.write("socket", "");
  REQUIRE(::chown(database.socket.c_str(), 1234, 1235) == 0);
  const auto made = RecordingDirectory::make(directory.file("new"), database);
  REQUIRE(made.has_value());
  struct stat info{};
  REQUIRE(::stat(made->path().c_str(), &info) == 0);
  CHECK(info.st_uid == 1234);
  CHECK(info.st_gid == 1235);
  // What was there before stays whose it is.
  REQUIRE(::chown(made->path().c_str(), 0, 0) == 0);
  REQUIRE(RecordingDirectory::make(made->path(), database).has_value());
  REQUIRE(::stat(made->path().c_str(), &info) == 0);
  CHECK(info.st_uid == 0);
}

TEST_CASE("an agent leads nobody into another directory") {
  CHECK(check_directory(recorded_status("/d"), "/d", recorded_database()).has_value());
  const auto elsewhere = check_directory(recorded_status("/etc"), "/d", recorded_database());
  REQUIRE_FALSE(elsewhere.has_value());
  CHECK(elsewhere.error().code == ErrorCode::kProtocol);

  const rocktune::tests::TempDirectory directory;
  AgentDatabase database = recorded_database();
  database.owner = ::geteuid();
  CHECK(RecordingDirectory::find(directory.path(), database).has_value());
  database.owner = 70001;
  const auto theirs = RecordingDirectory::find(directory.path(), database);
  REQUIRE_FALSE(theirs.has_value());
  CHECK(theirs.error().code == ErrorCode::kPermission);
  CHECK_FALSE(RecordingDirectory::find(directory.file("none"), database).has_value());
}

TEST_CASE("a manifest goes into the directory that was looked at") {
  const rocktune::tests::TempDirectory directory;
  const auto made = RecordingDirectory::make(directory.file("new"), recorded_database());
  REQUIRE(made.has_value());
  fs::rename(directory.file("new"), directory.file("moved"));
  fs::create_directory(directory.file("elsewhere"));
  fs::create_directory_symlink(directory.file("elsewhere"), directory.file("new"));
  REQUIRE(made->write_manifest({}).has_value());
  CHECK(fs::exists(directory.file("moved/manifest.json")));
  CHECK(fs::is_empty(directory.file("elsewhere")));
}

TEST_CASE("what is no file is not read as a trace") {
  const rocktune::tests::TempDirectory directory;
  fs::create_symlink(directory.write("other", ""), directory.file("ops.trace"));
  CHECK_FALSE(
      ended_recording(recorded_database(), {}, recorded_status(directory.path())).has_value());
}

TEST_CASE("every recording has a directory of its own") {
  const rocktune::tests::TempDirectory directory;
  const auto made = RecordingDirectory::make(directory.file("new") + "/", recorded_database());
  REQUIRE(made.has_value());
  CHECK(made->path() == directory.file("new"));
  struct stat info{};
  REQUIRE(::stat(made->path().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK(RecordingDirectory::make(made->path(), recorded_database()).has_value());  // empty still
  const auto refusal = [&] {
    const auto refused = RecordingDirectory::make(made->path(), recorded_database());
    REQUIRE_FALSE(refused.has_value());
    return refused.error().message;
  };
  static_cast<void>(directory.write("new/notes", ""));
  CHECK(refusal() == made->path() + " is not empty: choose another directory");
  static_cast<void>(directory.write("new/manifest.json", ""));
  CHECK(refusal() == made->path() + " has a recording already: choose another directory");
  CHECK_FALSE(RecordingDirectory::make(directory.file("a/b"), recorded_database()).has_value());
}

}  // namespace
}  // namespace rocktune::tools
