// Traces of the operations of a real database: begun, ended in every way, and read again.
#include "agent/op_trace/op_trace.h"

#include <rocksdb/merge_operator.h>
#include <rocksdb/utilities/replayer.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <thread>

#include "agent/op_trace/checkpoint.h"
#include "tests/unit/agent/database_fixture.h"

namespace rocktune::agent {
namespace {

namespace fs = std::filesystem;
using testing::DatabaseFixture;
using testing::TestDatabase;

// The latest value of a key wins: enough to be one.
class LastOne final : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice*, const rocksdb::Slice& value,
             std::string* result, rocksdb::Logger*) const override {
    *result = value.ToString();
    return true;
  }
  [[nodiscard]] const char* Name() const override { return "LastOne"; }
};

struct Recorded : DatabaseFixture {
  std::string directory = host.directory.file("recording");

  Recorded() { fs::create_directory(directory); }

  [[nodiscard]] wire::OpTraceRequest request() const {
    wire::OpTraceRequest request;
    request.action = "start";
    request.directory = directory;
    request.max_bytes = 1 << 20;
    request.seconds = 60;
    return request;
  }
  OpTrace::Answer ask(const char* action) {
    wire::OpTraceRequest request;
    request.action = action;
    return database.op_trace().handle(request);
  }
  OpTrace::Answer start() { return database.op_trace().handle(request()); }
  std::string refusal(const wire::OpTraceRequest& asked) {
    const auto answer = database.op_trace().handle(asked);
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().code == "op_trace_refused");
    return answer.error().message;
  }
  // Its thread has written everything.
  wire::OpTrace ended() {
    for (;;) {
      const auto status = ask("status");
      REQUIRE(status.has_value());
      if (status->state == "ended") return *status;
      REQUIRE(status->state == "ending");
      std::this_thread::yield();
    }
  }
};

// What is in the trace, by type.
std::map<char, int> records_in(const std::string& path, TestDatabase& host) {
  std::unique_ptr<rocksdb::TraceReader> reader;
  REQUIRE(rocksdb::NewFileTraceReader(rocksdb::Env::Default(), {}, path, &reader).ok());
  std::unique_ptr<rocksdb::Replayer> replayer;
  REQUIRE(host.db->NewDefaultReplayer(host.handles, std::move(reader), &replayer).ok());
  REQUIRE(replayer->Prepare().ok());
  std::map<char, int> found;
  std::unique_ptr<rocksdb::TraceRecord> record;
  rocksdb::Status status;
  while ((status = replayer->Next(&record)).ok()) ++found[record->GetTraceType()];
  INFO(status.ToString());
  CHECK(status.IsIncomplete());
  return found;
}

TEST_CASE("operations are recorded until somebody says stop, beside a checkpoint") {
  Recorded f;
  f.put("before");
  CHECK(f.ask("status")->state == "none");
  const auto started = f.start();
  REQUIRE(started.has_value());
  CHECK(started->state == "recording");
  CHECK(started->checkpoint);
  f.put("during");
  std::string value;
  CHECK(f.host.db->Get({}, "before", &value).ok());
  const std::unique_ptr<rocksdb::Iterator> all(f.host.db->NewIterator({}));
  all->Seek("a");
  REQUIRE(f.ask("stop").has_value());
  f.put("after");

  const auto status = f.ended();
  CHECK(status.why_ended == "request");
  CHECK(status.writes == 1);
  CHECK(status.gets == 1);
  CHECK(status.seeks == 1);
  CHECK(status.problem.empty());
  const std::string file = f.directory + "/" + kOpTraceFileName;
  CHECK(status.bytes == fs::file_size(file));
  struct stat info{};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(records_in(file, f.host) == std::map<char, int>{{rocksdb::kTraceWrite, 1},
                                                        {rocksdb::kTraceGet, 1},
                                                        {rocksdb::kTraceIteratorSeek, 1}});
  std::unique_ptr<rocksdb::DB> checkpoint;
  REQUIRE(testing::open_read_only(f.directory + "/" + kCheckpointName, &checkpoint).ok());
  CHECK(checkpoint->Get({}, "before", &value).ok());
}

TEST_CASE("a trace ends by itself when its time is over, and another may begin") {
  Recorded f;
  REQUIRE(f.start().has_value());
  CHECK(f.start().error().code == "op_trace_busy");
  f.put("a");
  f.now += std::chrono::seconds(61);
  f.database.op_trace().tick();  // or before: that is up to the thread
  while (f.ask("status")->why_ended.empty()) std::this_thread::yield();
  f.database.op_trace().tick();
  const auto status = f.ended();
  CHECK(status.why_ended == "time");
  CHECK(status.elapsed_seconds == Approx(61));

  const int unwritten = OpTraceFile::unwritten();
  CHECK(f.start().error().message.find("directory of its own") != std::string::npos);
  CHECK(OpTraceFile::unwritten() == unwritten);
  CHECK(f.ask("status")->why_ended == "time");  // still the latest
  f.directory += "-2";
  fs::create_directory(f.directory);
  REQUIRE(f.start().has_value());
  f.put("b");
  CHECK(f.ask("stop")->why_ended == "request");
  CHECK(f.ended().writes == 1);
}

TEST_CASE("a trace ends by itself when it is large enough") {
  Recorded f;
  REQUIRE(f.start().has_value());
  for (int i = 0; i < 2000; ++i) f.put("key" + std::to_string(i));  // 1 kB each
  CHECK(f.ask("status")->why_ended == "size");
  f.database.op_trace().tick();
  const auto status = f.ended();
  CHECK(status.bytes <= std::uint64_t{1} << 20);
  CHECK(status.writes > 900);
  const auto records = records_in(f.directory + "/" + kOpTraceFileName, f.host);
  CHECK(records.at(rocksdb::kTraceWrite) == static_cast<int>(status.writes));
}

TEST_CASE("a database that closes ends its trace first") {
  Recorded f;
  REQUIRE(f.start().has_value());
  f.put("a");
  f.database.close();
  // RocksDB has no trace any more: this begins and ends one, as after any other end.
  CHECK_FALSE(f.host.db->EndTrace().ok());
}

TEST_CASE("a trace that the host begins ends ours, and is left alone") {
  Recorded f;
  REQUIRE(f.start().has_value());
  f.put("a");
  std::unique_ptr<rocksdb::TraceWriter> writer;
  const std::string path = f.host.directory.file("own");
  REQUIRE(rocksdb::NewFileTraceWriter(rocksdb::Env::Default(), {}, path, &writer).ok());
  REQUIRE(f.host.db->StartTrace({}, std::move(writer)).ok());
  CHECK(f.ended().why_ended == "host");
  CHECK(f.ask("stop")->why_ended == "host");
  f.database.op_trace().tick();
  CHECK(f.host.db->EndTrace().ok());  // the host's own was there still
}

TEST_CASE("where a trace may be put") {
  Recorded f;
  auto request = f.request();
  request.directory = "recording";
  CHECK_THAT(f.refusal(request), Catch::Matchers::Contains("must be absolute"));
  request.directory = f.directory + "/missing";
  CHECK_THAT(f.refusal(request), Catch::Matchers::Contains("No such file or directory"));
  request.directory = f.host.directory.file("link");
  fs::create_directory_symlink(f.directory, request.directory);
  CHECK_THAT(f.refusal(request), Catch::Matchers::Contains("symbolic link"));
  fs::permissions(f.directory, fs::perms::others_write, fs::perm_options::add);
  CHECK_THAT(f.refusal(f.request()), Catch::Matchers::Contains("chmod go-w"));
  request.directory = "/dev/null";
  CHECK_THAT(f.refusal(request), Catch::Matchers::Contains("Not a directory"));
}

TEST_CASE("what would leave too little of the file system, or needs links across two, is refused") {
  Recorded f;
  auto request = f.request();
  request.max_bytes = std::uint64_t{1} << 50;
  CHECK_THAT(f.refusal(request), Catch::Matchers::Contains("bytes free"));
  const auto directory = OpTraceDirectory::open(f.directory);
  REQUIRE(directory.has_value());
  CHECK_THAT(directory->why_no_links_from({f.directory, "/proc"}),
             Catch::Matchers::Contains("another file system"));
  CHECK_THAT(directory->why_no_links_from({f.directory + "/gone"}),
             Catch::Matchers::Contains("no directory of this machine"));
  CHECK(directory->why_no_links_from({f.directory}).empty());
}

TEST_CASE("what a checkpoint does not succeed in leaves nothing behind") {
  Recorded f;
  fs::create_directory(f.directory + "/" + kCheckpointName);
  const auto answer = f.start();
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().code == "op_trace_failed");
  CHECK_THAT(answer.error().message, Catch::Matchers::Contains("no checkpoint"));
  CHECK_FALSE(fs::exists(f.directory + "/" + kOpTraceFileName));
  CHECK(f.ask("status")->state == "none");
  CHECK_FALSE(f.host.db->EndTrace().ok());
  auto request = f.request();
  request.checkpoint = false;
  const auto without = f.database.op_trace().handle(request);
  REQUIRE(without.has_value());
  CHECK_FALSE(without->checkpoint);
}

TEST_CASE("what cannot be replayed is refused, unless it is forced") {
  rocktune::tests::TempDirectory directory;
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  rocksdb::ColumnFamilyOptions merging;
  merging.merge_operator = std::make_shared<LastOne>();
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  REQUIRE(
      testing::open_database(options, directory.file("db"), {{"default", merging}}, &handles, &db)
          .ok());
  {
    Database database(db.get(), handles, 1, false, [] { return std::chrono::steady_clock::now(); });
    fs::create_directory(directory.file("recording"));
    wire::OpTraceRequest request;
    request.action = "start";
    request.directory = directory.file("recording");
    request.max_bytes = 1 << 20;
    request.seconds = 60;
    const auto refused = database.op_trace().handle(request);
    REQUIRE_FALSE(refused.has_value());
    CHECK_THAT(refused.error().message, Catch::Matchers::Contains("merge operator"));
    request.force = true;
    CHECK(database.op_trace().handle(request).has_value());
    database.close();
  }
  for (auto* const handle : handles) delete handle;
}

TEST_CASE("a log that has everything needs no flush, and one that has not is found out") {
  TestDatabase host;
  CHECK(host.db->Put({}, "a", "b").ok());
  CHECK(log_is_whole(host.db.get()));
  rocksdb::WriteOptions without;
  without.disableWAL = true;
  CHECK(host.db->Put(without, "unlogged", "b").ok());
  CHECK_FALSE(log_is_whole(host.db.get()));
  CHECK(bytes_of_log(host.db.get()) > 0);
  const std::string path = host.directory.file("checkpoint");
  CHECK(make_checkpoint(host.db.get(), path).empty());
  std::unique_ptr<rocksdb::DB> checkpoint;
  REQUIRE(testing::open_read_only(path, &checkpoint).ok());
  std::string value;
  CHECK(checkpoint->Get({}, "unlogged", &value).ok());
}

TEST_CASE("a database that is only read is not recorded") {
  TestDatabase host;
  host.close();
  const auto db = host.reopen_read_only();
  Database database(db.get(), {}, 1, false, [] { return std::chrono::steady_clock::now(); });
  wire::OpTraceRequest request;
  request.action = "start";
  request.directory = host.directory.path().string();
  request.max_bytes = 1 << 20;
  request.seconds = 60;
  const auto refused = database.op_trace().handle(request);
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message, Catch::Matchers::Contains("read_only"));
  database.close();
}

}  // namespace
}  // namespace rocktune::agent
