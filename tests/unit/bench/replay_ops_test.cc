// Recorded operations done again: when each is due, which thread does it, and onto what.
#include <rocksdb/table.h>
#include <rocksdb/utilities/replayer.h>
#include <rocksdb/write_batch.h>

#include <filesystem>
#include <fstream>

#include "bench/host/saved_options.h"
#include "bench/replay_ops/pace.h"
#include "bench/replay_ops/player.h"
#include "bench/replay_ops/queue.h"
#include "bench/replay_ops/recording.h"
#include "bench/replay_ops/routing.h"
#include "bench/replay_ops/trace_reader.h"
#include "tests/support/catch.h"
#include "tests/support/open_database.h"
#include "tests/support/temp_directory.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

rocksdb::WriteQueryTraceRecord written(rocksdb::WriteBatch& batch) {
  return {batch.Data(), 0};
}

TEST_CASE("operations are due as they were recorded, at the speed that is asked for") {
  RecordedPace pace(1'000'000, 2, std::chrono::seconds(10));
  CHECK(pace.due(1'000'000) == std::chrono::seconds(10));
  CHECK(pace.due(3'000'000) == std::chrono::seconds(11));
  CHECK(pace.due(3'500'000) == std::chrono::milliseconds(11'250));
  CHECK(pace.due(2'000'000) == std::chrono::milliseconds(11'250));  // the wall clock was set back
  CHECK(pace.due(999'000) == std::chrono::milliseconds(11'250));
  CHECK(pace.due(5'000'000) == std::chrono::seconds(12));
}

TEST_CASE("all operations on a key are one thread's") {
  rocksdb::WriteBatch batch;
  REQUIRE(batch.Put("key", "value").ok());
  const auto write = written(batch);
  const rocksdb::GetQueryTraceRecord get(0, std::string("key"), 0);
  const rocksdb::MultiGetQueryTraceRecord several({0, 0}, std::vector<std::string>{"key", "other"},
                                                  0);
  const rocksdb::IteratorSeekQueryTraceRecord seek(rocksdb::IteratorSeekQueryTraceRecord::kSeek, 0,
                                                   std::string("key"), 0);
  CHECK(kind_of(write) == scenario::Operation::kUpdate);
  CHECK(kind_of(get) == scenario::Operation::kRead);
  CHECK(kind_of(several) == scenario::Operation::kRead);
  CHECK(kind_of(seek) == scenario::Operation::kScan);
  const auto thread = thread_of(write, 1009, false);
  CHECK(thread < 1009);
  CHECK(thread_of(get, 1009, true) == thread);
  CHECK(thread_of(several, 1009, true) == thread);
  CHECK(thread_of(seek, 1009, true) == thread);
  CHECK(thread_of(write, 1009, true) == 0);
  rocksdb::WriteBatch elsewhere;
  REQUIRE(elsewhere.Delete("another key").ok());
  CHECK(thread_of(written(elsewhere), 1009, false) != thread);
}

TEST_CASE("a write of several keys, or of a range, has no key of its own") {
  rocksdb::WriteBatch one, two, range, none;
  REQUIRE(one.Delete("a").ok());
  REQUIRE(two.Put("a", "1").ok());
  REQUIRE(two.Put("b", "2").ok());
  REQUIRE(range.DeleteRange("a", "b").ok());
  CHECK(only_key_of(written(one))->key == "a");
  CHECK_FALSE(only_key_of(written(two)).has_value());
  CHECK_FALSE(only_key_of(written(range)).has_value());
  CHECK_FALSE(only_key_of(written(none)).has_value());
}

TEST_CASE("a queue gives its operations in their order, and then nothing") {
  OperationQueue queue;
  queue.push({std::chrono::seconds(1), scenario::Operation::kRead, 0, nullptr});
  queue.push({std::chrono::seconds(2), scenario::Operation::kUpdate, 0, nullptr});
  queue.end();
  CHECK(queue.size() == 2);
  CHECK(queue.pop()->due == std::chrono::seconds(1));
  CHECK(queue.pop()->kind == scenario::Operation::kUpdate);
  CHECK_FALSE(queue.pop().has_value());
}

TEST_CASE("values of an options file are found by column family") {
  const auto values = saved_values(
      "[DBOptions]\n  merge_operator=no family\n[CFOptions \"default\"]\n"
      "  merge_operator=nullptr\n[TableOptions/BlockBasedTable \"default\"]\n  merge_operator=x\n"
      "[CFOptions \"two \\\" words\"]\n  merge_operator=Counter\n",
      "merge_operator");
  CHECK(values ==
        std::map<std::string, std::string>{{"default", "nullptr"}, {"two \\\" words", "Counter"}});
}

// A database, its trace, and a copy from before, as a recording has them.
struct MadeRecording {
  rocktune::tests::TempDirectory directory;

  MadeRecording() {
    fs::create_directory(directory.file("recording"));
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.wal_dir = directory.file("log");
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    std::unique_ptr<rocksdb::DB> db;
    open(options, handles, db);
    REQUIRE(db->Put({}, "before", "1").ok());
    REQUIRE(db->Flush({}).ok());
    close(handles, db);
    fs::copy(directory.file("db"), directory.file("recording/checkpoint"));
    open(options, handles, db);
    std::unique_ptr<rocksdb::TraceWriter> writer;
    REQUIRE(rocksdb::NewFileTraceWriter(rocksdb::Env::Default(), {},
                                        directory.file("recording/ops.trace"), &writer)
                .ok());
    REQUIRE(db->StartTrace({}, std::move(writer)).ok());
    for (int i = 0; i < 100; ++i) {
      REQUIRE(db->Put({}, "key" + std::to_string(i % 10), std::to_string(i)).ok());
    }
    std::string value;
    REQUIRE(db->Get({}, "before", &value).ok());
    REQUIRE(db->EndTrace().ok());
    close(handles, db);
    trace::OpRecording manifest;
    manifest.state = "ended";
    manifest.writes = 100;
    manifest.gets = 1;
    manifest.seconds = 1;
    manifest.options_file = "checkpoint/OPTIONS-000007";
    const auto contents = trace::read_op_trace(trace_file());
    REQUIRE(contents.has_value());
    CHECK(contents->writes == 100);
    CHECK(contents->gets == 1);
    manifest.bytes = contents->bytes;
    manifest.crc32 = contents->crc32;
    manifest.checkpoint_files.emplace();
    for (const auto& entry : fs::directory_iterator(directory.file("recording/checkpoint"))) {
      (*manifest.checkpoint_files)[entry.path().filename().string()] = entry.file_size();
    }
    write(manifest);
  }
  void write(const trace::OpRecording& manifest) const {
    static_cast<void>(directory.write("recording/manifest.json", trace::encode(manifest)));
  }
  [[nodiscard]] std::string trace_file() const { return directory.file("recording/ops.trace"); }
  [[nodiscard]] std::string refusal() const {
    const auto refused = open_recording(directory.file("recording"));
    REQUIRE_FALSE(refused.has_value());
    return refused.error().message;
  }
  void open(const rocksdb::DBOptions& options, std::vector<rocksdb::ColumnFamilyHandle*>& handles,
            std::unique_ptr<rocksdb::DB>& db) const {
    const auto status = rocktune::testing::open_database(options, directory.file("db"),
                                                         {{"default", {}}}, &handles, &db);
    INFO(status.ToString());
    REQUIRE(status.ok());
  }
  static void close(std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                    std::unique_ptr<rocksdb::DB>& db) {
    for (auto* const handle : handles) delete handle;
    handles.clear();
    db.reset();
  }
};

TEST_CASE("a recording is opened with what it was recorded with, and its operations come back") {
  const MadeRecording made;
  const auto recording = open_recording(made.directory.file("recording") + "/");
  REQUIRE(recording.has_value());
  const auto scenario = scenario_of_recording(*recording, 2);
  CHECK(scenario.seconds() == 0.5);
  CHECK(scenario.objective.first == "read_p99");
  CHECK(scenario.description == replay_ops_claims(2));
  auto database = Database::open_saved({recording->checkpoint(), std::int64_t{3} << 20, 1 << 20});
  if (!database) FAIL(database.error().message);
  const auto options = (*database)->db().GetDBOptions();
  CHECK(options.wal_dir != made.directory.file("log"));  // the original's, which may be in use
  CHECK((*database)->read_gauges().cache_capacity_bytes == 3 << 20);
  CHECK((*database)->read_gauges().rate_limit_bytes_per_second == 1 << 20);

  const std::atomic<bool> stop{false};
  const ReplayPlan plan{recording->trace_file(), scenario.databases[0].workload.phases[0], 1000, 4};
  const auto replayed = replay_operations(**database, plan, stop, nullptr);
  if (!replayed) FAIL(replayed.error().message);
  CHECK(replayed->operations == 101);
  CHECK_FALSE(replayed->one_writer);
  const auto& done = replayed->phase.total.latencies;
  CHECK(done.of[static_cast<std::size_t>(scenario::Operation::kUpdate)].count() == 100);
  CHECK(done.of[static_cast<std::size_t>(scenario::Operation::kRead)].count() == 1);
  for (int i = 0; i < 10; ++i) {
    std::string value;
    REQUIRE((*database)->db().Get({}, "key" + std::to_string(i), &value).ok());
    CHECK(value == std::to_string(90 + i));
  }
}

TEST_CASE("what rocktune had turned is opened as it was found") {
  const MadeRecording made;
  auto recording = *open_recording(made.directory.file("recording"));
  const auto before = recording_json(recording);
  REQUIRE(before.has_value());
  CHECK_FALSE(before->contains("found_knobs"));
  recording.manifest.found_knobs = {{"",
                                     {{"max_background_jobs", 5},
                                      {"delayed_write_rate", 3 << 20},
                                      {"rate_limiter_l0_weight", 4}}},
                                    {"default",
                                     {{"write_buffer_size", 1 << 20},
                                      {"universal_size_ratio", 7},
                                      {"block_size", 8 << 10},
                                      {"bloom_bits_per_key", 0}}},
                                    {"dropped", {{"write_buffer_size", 1 << 20}}}};
  CHECK(recording_json(recording)->at("found_knobs") == *recording.manifest.found_knobs);
  SavedSettings settings{recording.checkpoint(), std::int64_t{3} << 20, std::nullopt,
                         *recording.manifest.found_knobs};
  const auto saved = load_saved_options(settings);
  if (!saved) FAIL(saved.error().message);
  CHECK(saved->options.max_background_jobs == 5);
  CHECK(saved->options.delayed_write_rate == 3 << 20);
  const auto& family = saved->families.at(0).options;
  CHECK(family.write_buffer_size == 1 << 20);
  CHECK(family.compaction_options_universal.size_ratio == 7);
  const auto* table = family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  REQUIRE(table != nullptr);
  CHECK(table->block_size == 8 << 10);
  CHECK_FALSE(table->filter_policy);
  CHECK(table->block_cache == saved->block_cache);
  settings.found_knobs = {{"default", {{"bloom_bits_per_key", 10}}}};
  const auto filtered = load_saved_options(settings);
  if (!filtered) FAIL(filtered.error().message);
  CHECK(filtered->families.at(0)
            .options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
            ->filter_policy);
  settings.found_knobs = {{"default", {{"no_such_option", 1}}}};
  CHECK_THAT(load_saved_options(settings).error().message,
             Contains("the recorded no_such_option, which was found at 1, cannot be set here"));
  auto database = Database::open_saved(
      {recording.checkpoint(), std::nullopt, std::nullopt, *recording.manifest.found_knobs});
  if (!database) FAIL(database.error().message);
  CHECK((*database)->db().GetOptions().write_buffer_size == 1 << 20);
}

TEST_CASE("the torn end of a trace is its end, and what is none is an error") {
  const MadeRecording made;
  const std::string file = made.directory.file("recording/ops.trace");
  const auto whole = fs::file_size(file);
  const auto records = [&] {
    auto reader = OpTraceReader::open(file);
    REQUIRE(reader.has_value());
    int count = 0;
    std::string data;
    while ((*reader)->Read(&data).ok()) ++count;
    return count;
  };
  CHECK(records() == 103);  // with its begin and its end
  fs::resize_file(file, whole - 20);
  CHECK(records() < 103);
  CHECK(records() > 100);
  auto reader = OpTraceReader::open(made.directory.write("nonsense", std::string(1000, '\xff')));
  std::string data;
  CHECK((*reader)->Read(&data).IsCorruption());
  CHECK_FALSE(OpTraceReader::open(made.directory.file("missing")).has_value());
}

TEST_CASE("what cannot be replayed is said before anything is opened") {
  const MadeRecording made;
  CHECK_THAT(open_recording(made.directory.file("db")).error().message,
             Contains("is no recording of rocktune record-ops"));
  fs::remove_all(made.directory.file("recording/checkpoint"));
  CHECK_THAT(open_recording(made.directory.file("recording")).error().message,
             Contains("has no checkpoint to replay onto"));
}

TEST_CASE("a trace that was cut off, added to or damaged is not replayed") {
  const MadeRecording made;
  const std::string file = made.trace_file();
  const auto whole = fs::file_size(file);
  const std::string recorded = ", and " + std::to_string(whole) + " were recorded: it was ";

  fs::resize_file(file, whole - 20);
  CHECK(made.refusal() == file + " has " + std::to_string(whole - 20) + " bytes" + recorded +
                              "cut off; copy the whole recording again, or record again");
  fs::resize_file(file, whole);  // with zeros for what it had
  CHECK_THAT(made.refusal(), Contains(file + " has the checksum (CRC32) ") &&
                                 Contains("it is damaged; copy the whole recording again"));
  fs::resize_file(file, whole + 1);
  CHECK_THAT(made.refusal(), Contains(recorded + "added to"));
  fs::remove(file);
  CHECK_THAT(made.refusal(), Contains(file + ": No such file"));
}

TEST_CASE("one flipped bit of a value is found") {
  const MadeRecording made;
  REQUIRE(open_recording(made.directory.file("recording")).has_value());
  std::fstream file(made.trace_file(), std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(fs::file_size(made.trace_file()) / 2);
  const int byte = file.seekg(middle).get();
  file.seekp(middle).put(static_cast<char>(byte ^ 0x10));
  file.close();
  CHECK_THAT(made.refusal(), Contains("it is damaged"));
}

TEST_CASE("a recording without a checksum is not replayed, and what to do depends on its state") {
  const MadeRecording made;
  auto manifest = open_recording(made.directory.file("recording"))->manifest;
  manifest.crc32 = std::nullopt;
  made.write(manifest);
  CHECK_THAT(made.refusal(), Contains("manifest.json has no checksum of ops.trace: an earlier "
                                      "version recorded it") &&
                                 Contains("record again"));
  manifest.state = "recording";
  made.write(manifest);
  CHECK_THAT(made.refusal(), Contains("has no checksum of ops.trace: the recording goes on") &&
                                 Contains("--stop completes it"));
}

TEST_CASE("a checkpoint that is not as it was recorded is not replayed onto") {
  const MadeRecording made;
  const std::string options = made.directory.file("recording/checkpoint/OPTIONS-000007");
  auto manifest = open_recording(made.directory.file("recording"))->manifest;
  REQUIRE(manifest.checkpoint_files->contains("OPTIONS-000007"));
  fs::resize_file(options, 10);
  CHECK_THAT(made.refusal(), Contains(options + " has 10 bytes"));
  fs::remove(options);
  CHECK_THAT(made.refusal(), Contains(options + ": No such file"));
  manifest.checkpoint_files = std::nullopt;  // one that was put there later
  made.write(manifest);
  CHECK(open_recording(made.directory.file("recording")).has_value());
}

TEST_CASE("with other options it is another recording") {
  const MadeRecording made;
  auto recording = *open_recording(made.directory.file("recording"));
  const auto before = recording_json(recording);
  REQUIRE(before.has_value());
  CHECK(*recording_json(recording) == *before);
  SECTION("the cache") {
    recording.manifest.block_cache_bytes = 12345;
  }
  SECTION("the limiter") {
    recording.manifest.rate_limit_bytes_per_second = 54321;
  }
  SECTION("the options file") {
    std::ofstream(made.directory.file("recording/checkpoint/OPTIONS-999999")) << "[Version]\n";
  }
  CHECK(*recording_json(recording) != *before);
}

TEST_CASE("what a replay claims depends on its speed") {
  CHECK_THAT(replay_ops_claims(1), Contains("at the pace at which they were recorded. Not"));
  for (const double speed : {0.5, 2.0}) {
    const auto claims = replay_ops_claims(speed);
    CHECK_THAT(claims, !Contains(" at the pace at which they were recorded"));
    CHECK_THAT(claims, Contains(std::string("had they come at ") + (speed < 1 ? "0.5" : "2") +
                                " times the pace at which they were recorded. Not"));
  }
}

TEST_CASE("a merge operator that this program does not have is named") {
  const MadeRecording made;
  const std::string checkpoint = made.directory.file("recording/checkpoint");
  std::string newest;
  for (const auto& entry : fs::directory_iterator(checkpoint)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("OPTIONS-") && name > newest) newest = name;
  }
  std::ifstream in(checkpoint + "/" + newest);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string none = "merge_operator=nullptr";
  REQUIRE(text.find(none) != std::string::npos);
  text.replace(text.find(none), none.size(), "merge_operator=TheirCounter");
  std::ofstream(checkpoint + "/" + newest) << text;
  const auto refused = load_saved_options({checkpoint, std::nullopt, std::nullopt});
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message, Contains("merge_operator TheirCounter"));
}

}  // namespace
}  // namespace rocktune::bench
