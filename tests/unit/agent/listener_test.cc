// The listener inside a real, small RocksDB.
#include "agent/listener.h"

#include <atomic>
#include <fstream>
#include <thread>

#include "agent/database.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using testing::TestDatabase;

std::vector<wire::Event> of_kind(EventRing& ring, const std::string& kind) {
  std::vector<wire::Event> found;
  for (std::uint64_t after = 0;;) {
    const auto answer = ring.read(after, 256);
    if (answer.events.empty()) return found;
    after = answer.events.back().sequence;
    for (const auto& event : answer.events) {
      if (event.kind == kind) found.push_back(event);
    }
  }
}

// A flush may be over for who waits for it a moment before the listeners are told of its end.
template <class Condition>
void wait_until(Condition&& holds) {
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!holds() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
}

struct ListenerFixture {
  TestDatabase host;
  Database database;

  explicit ListenerFixture(const rocksdb::DBOptions& options = {})
      : host(options), database(host.db.get(), host.handles, 7, false, [] {
          return std::chrono::steady_clock::now();
        }) {}
  ~ListenerFixture() { database.close(); }

  void fill(int from, std::size_t family = 0) {
    for (int i = from; i < from + 100; ++i) {
      const auto key = std::to_string(1000 + i % 100);
      REQUIRE(host.db->Put({}, host.handles[family], key, std::string(1000, 'v')).ok());
    }
    const auto before = of_kind(database.events(), "flush_end").size();
    REQUIRE(host.db->Flush({}, host.handles[family]).ok());
    wait_until([&] { return of_kind(database.events(), "flush_end").size() > before; });
  }
};

struct HostListener final : rocksdb::EventListener {
  std::atomic<int> flushes{0};
  void OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) override {
    ++flushes;
  }
};

TEST_CASE("prepare adds one listener, after the host's own") {
  rocksdb::DBOptions options;
  const auto hosts = std::make_shared<HostListener>();
  options.listeners = {hosts};
  prepare(options);
  prepare(options);
  REQUIRE(options.listeners.size() == 2);
  CHECK(options.listeners[0] == hosts);
  CHECK(Listener::find(options.listeners) == options.listeners[1]);
  CHECK(Listener::find({hosts, nullptr}) == nullptr);

  const ListenerFixture f(options);
  REQUIRE(f.host.db->Put({}, "a", "b").ok());
  REQUIRE(f.host.db->Flush({}).ok());
  wait_until([&] { return hosts->flushes > 0; });
  CHECK(hosts->flushes == 1);
}

TEST_CASE("flushes and compactions are told with their jobs, bytes, levels and reasons") {
  ListenerFixture f;
  f.fill(0);
  f.fill(100);
  REQUIRE(f.host.db->CompactRange({}, nullptr, nullptr).ok());
  auto& ring = f.database.events();

  const auto begins = of_kind(ring, "flush_begin");
  const auto flushes = of_kind(ring, "flush_end");
  REQUIRE(begins.size() == 2);
  REQUIRE(flushes.size() == 2);
  CHECK(flushes[0].column_family == "default");
  CHECK(flushes[0].words.at("reason") == "ManualFlush");
  CHECK(flushes[0].numbers.at("job") == begins[0].numbers.at("job"));
  CHECK(flushes[0].numbers.at("output_records") == 100);
  CHECK(flushes[0].numbers.at("input_bytes") > 100'000);
  CHECK(flushes[0].numbers.at("output_bytes") > 0);
  CHECK(flushes[0].numbers.at("elapsed_us") > 0);

  const auto starts = of_kind(ring, "compaction_begin");
  const auto ends = of_kind(ring, "compaction_end");
  REQUIRE(ends.size() == 1);
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].numbers.at("input_bytes") > 0);
  CHECK(starts[0].numbers.at("input_records") == 200);
  CHECK(ends[0].words.at("reason") == "ManualCompaction");
  CHECK(ends[0].words.at("status") == "OK");
  CHECK(ends[0].numbers.at("job") == starts[0].numbers.at("job"));
  CHECK(ends[0].numbers.at("input_level") == 0);
  CHECK(ends[0].numbers.at("output_level") >= 1);
  CHECK(ends[0].numbers.at("input_files") == 2);
  CHECK(ends[0].numbers.at("output_files") == 1);
  CHECK(ends[0].numbers.at("input_records") == 200);
  CHECK(ends[0].numbers.at("output_records") == 100);
  CHECK(ends[0].numbers.at("moved_files") == 0);
  CHECK(ends[0].numbers.at("output_bytes") > 0);
  CHECK(ends[0].numbers.at("elapsed_us") > 0);
}

// Asks on the thread that does the work, after our listener has been told.
struct JobSpy final : rocksdb::EventListener {
  std::atomic<Job> flush{Job::kNone};
  std::atomic<Job> compaction{Job::kNone};
  void OnFlushBegin(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) override {
    flush = current_job();
  }
  void OnCompactionBegin(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*info*/) override {
    compaction = current_job();
  }
};

TEST_CASE("the thread that does the work knows what it works on") {
  rocksdb::DBOptions options;
  prepare(options);
  const auto spy = std::make_shared<JobSpy>();
  options.listeners.push_back(spy);
  ListenerFixture f(options);
  f.fill(0);
  f.fill(100);
  CHECK(spy->flush == Job::kFlush);
  REQUIRE(f.host.db->CompactRange({}, nullptr, nullptr).ok());
  CHECK(spy->compaction == Job::kL0Compaction);
  rocksdb::CompactRangeOptions again;
  again.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  REQUIRE(f.host.db->CompactRange(again, nullptr, nullptr).ok());
  CHECK(spy->compaction == Job::kDeepCompaction);
  CHECK(current_job() == Job::kNone);
}

// What a sample says while a compaction runs, asked after our listener has been told.
struct RunningSpy final : rocksdb::EventListener {
  Database* database = nullptr;
  std::vector<wire::L0Compactions> at_begin, at_table;

  wire::L0Compactions ask() const {
    wire::Sample sample;
    sample.column_families.emplace_back().name = "default";
    database->add_jobs(sample);
    return sample.column_families[0].l0_compactions.value();
  }
  void OnCompactionBegin(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*info*/) override {
    at_begin.push_back(ask());
  }
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    if (info.reason == rocksdb::TableFileCreationReason::kCompaction) at_table.push_back(ask());
  }
};

TEST_CASE("samples tell of a running compaction out of level 0") {
  rocksdb::DBOptions options;
  prepare(options);
  const auto spy = std::make_shared<RunningSpy>();
  options.listeners.push_back(spy);
  ListenerFixture f(options);
  spy->database = &f.database;
  const wire::L0Compactions none{0, 0, 0, 0};
  CHECK(spy->ask() == none);
  f.fill(0);
  f.fill(100);
  REQUIRE(f.host.db->CompactRange({}, nullptr, nullptr).ok());
  REQUIRE(spy->at_begin.size() == 1);
  CHECK(spy->at_begin[0].input_files == 2);
  CHECK(spy->at_begin[0].input_bytes > 0);
  CHECK(spy->at_begin[0].output_bytes == 0U);
  REQUIRE(spy->at_table.size() == 1);
  CHECK(spy->at_table[0].output_bytes > 0U);
  CHECK(spy->ask() == none);

  rocksdb::CompactRangeOptions again;
  again.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  REQUIRE(f.host.db->CompactRange(again, nullptr, nullptr).ok());
  REQUIRE(spy->at_begin.size() == 2);
  CHECK(spy->at_begin[1] == none);  // deeper

  wire::Sample sample = f.database.sampler().take();
  f.database.add_jobs(sample);
  const wire::ColumnFamily& family = sample.column_families.at(0);
  REQUIRE(family.jobs);
  CHECK(family.jobs->flushes == 2);
  CHECK(family.jobs->last_flush_age_ms);
  CHECK(family.jobs->l0_compactions == 1);
  CHECK(family.jobs->l0_compactions_input_bytes == spy->at_begin[0].input_bytes);
  CHECK(family.jobs->deep_compactions == 1);
  CHECK(family.jobs->deep_running_level == 0);
  CHECK(family.options.at("leveled_compaction") == 1);
  CHECK(family.options.contains("disable_auto_compactions"));
  CHECK(family.options.contains("level_compaction_dynamic_level_bytes"));
  CHECK(family.options.contains("max_bytes_for_level_multiplier"));
}

TEST_CASE("a thread of the host's that compacts files itself is the host's again afterwards") {
  rocksdb::DBOptions options;
  prepare(options);
  ListenerFixture f(options);
  f.fill(0);
  f.fill(0);
  rocksdb::ColumnFamilyMetaData family;
  f.host.db->GetColumnFamilyMetaData(&family);
  std::vector<std::string> files;
  for (const auto& file : family.levels[0].files) files.push_back(file.name);
  REQUIRE_FALSE(files.empty());
  REQUIRE(f.host.db->CompactFiles({}, files, 1).ok());
  CHECK(current_job() == Job::kNone);
}

TEST_CASE("stalls are told with their cause and their length") {
  ListenerFixture f;
  REQUIRE(f.host.db
              ->SetOptions(f.host.handles[1], {{"level0_file_num_compaction_trigger", "2"},
                                               {"level0_slowdown_writes_trigger", "2"},
                                               {"level0_stop_writes_trigger", "20"},
                                               {"disable_auto_compactions", "true"}})
              .ok());
  f.database.sampler().take();
  f.fill(0, 1);
  f.fill(0, 1);
  f.fill(0, 1);
  // Automatic compactions that are disabled delay nobody.
  REQUIRE(of_kind(f.database.events(), "stall").empty());
  REQUIRE(f.host.db->PauseBackgroundWork().ok());
  REQUIRE(f.host.db->SetOptions(f.host.handles[1], {{"disable_auto_compactions", "false"}}).ok());
  auto stalls = of_kind(f.database.events(), "stall");
  REQUIRE(stalls.size() == 1);
  CHECK_FALSE(stalls[0].words.contains("cause"));
  f.database.sampler().explain_stalls(f.database.events());
  stalls = of_kind(f.database.events(), "stall");
  CHECK(stalls[0].column_family == "second");
  CHECK(stalls[0].words.at("before") == "normal");
  CHECK(stalls[0].words.at("condition") == "delayed");
  CHECK(stalls[0].words.at("cause") == "l0_files");
  CHECK(stalls[0].words.at("told_by") == "RocksDB's counters");
  CHECK_FALSE(stalls[0].numbers.contains("before_us"));

  REQUIRE(
      f.host.db->SetOptions(f.host.handles[1], {{"level0_slowdown_writes_trigger", "20"}}).ok());
  f.database.sampler().explain_stalls(f.database.events());
  stalls = of_kind(f.database.events(), "stall");
  REQUIRE(stalls.size() == 2);
  CHECK(stalls[1].words.at("before") == "delayed");
  CHECK(stalls[1].words.at("condition") == "normal");
  CHECK(stalls[1].words.at("cause") == "l0_files");
  CHECK(stalls[1].numbers.at("before_us") > 0);
  REQUIRE(f.host.db->ContinueBackgroundWork().ok());
}

TEST_CASE("nobody knows how long a stop by memtables lasted") {
  rocksdb::DBOptions options;
  prepare(options);
  ListenerFixture f(options);
  REQUIRE(f.host.db
              ->SetOptions(f.host.handles[0],
                           {{"write_buffer_size", "1048576"}, {"max_write_buffer_number", "2"}})
              .ok());
  REQUIRE(f.host.db->PauseBackgroundWork().ok());
  std::atomic<bool> ok{true};
  std::thread writer([&] {
    for (int i = 0; i < 400; ++i) {
      ok = ok && f.host.db->Put({}, std::to_string(i), std::string(10000, 'v')).ok();
    }
  });
  const auto stopped = [&] {
    std::uint64_t value = 0;
    return f.host.db->GetIntProperty("rocksdb.is-write-stopped", &value) && value == 1;
  };
  wait_until(stopped);
  CHECK(stopped());
  REQUIRE(f.host.db->ContinueBackgroundWork().ok());
  writer.join();
  CHECK(ok);
  REQUIRE(f.host.db->Flush({}).ok());
  const auto ends = [&] {
    auto stalls = of_kind(f.database.events(), "stall");
    std::erase_if(stalls, [](const auto& event) { return event.words.at("before") != "stopped"; });
    return stalls;
  };
  wait_until([&] { return !ends().empty(); });
  f.database.sampler().explain_stalls(f.database.events());
  REQUIRE_FALSE(ends().empty());
  for (const auto& event : ends()) {
    CHECK(event.words.at("cause") == "memtables");
    CHECK_FALSE(event.numbers.contains("before_us"));
  }
}

TEST_CASE("errors reach the ring") {
  rocksdb::DBOptions options;
  prepare(options);
  ListenerFixture f(options);
  const auto listener = Listener::find(options.listeners);
  rocksdb::Status status = rocksdb::Status::NoSpace();
  listener->OnBackgroundError(rocksdb::BackgroundErrorReason::kFlush, &status);
  listener->OnBackgroundError(rocksdb::BackgroundErrorReason::kFlush, nullptr);
  bool automatic = true;
  listener->OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason::kFlush, status, &automatic);
  listener->OnErrorRecoveryEnd({});
  CHECK(automatic);
  CHECK(status.IsNoSpace());
  CHECK(of_kind(f.database.events(), "background_error").size() == 1);
  CHECK(of_kind(f.database.events(), "error_recovery").size() == 2);
}

TEST_CASE("without a listener a database has a ring of its own") {
  TestDatabase host({}, false);
  Database database(host.db.get(), host.handles, 1, false,
                    [] { return std::chrono::steady_clock::now(); });
  CHECK(database.events().next() == 1);
  wire::Sample sample = database.sampler().take();
  database.add_jobs(sample);
  CHECK_FALSE(sample.column_families.at(0).l0_compactions);
  CHECK_FALSE(sample.column_families.at(0).jobs);
  database.close();
}

TEST_CASE("what happens between open and attach is told, and a new open begins anew") {
  rocksdb::DBOptions options;
  prepare(options);
  for (int round = 0; round < 2; ++round) {
    TestDatabase host(options, false);
    REQUIRE(host.db->Put({}, "a", "b").ok());
    REQUIRE(host.db->Flush({}).ok());
    Database database(host.db.get(), host.handles, 1, false,
                      [] { return std::chrono::steady_clock::now(); });
    wait_until([&] { return !of_kind(database.events(), "flush_end").empty(); });
    CHECK(of_kind(database.events(), "flush_end").size() == 1);
    CHECK(database.events().next() == 3);
    database.close();
  }
}

TEST_CASE("databases that share a listener have their own jobs, and all of the errors") {
  rocksdb::DBOptions options;
  prepare(options);
  ListenerFixture one(options);
  ListenerFixture two(options);
  one.fill(0);
  CHECK(of_kind(one.database.events(), "flush_end").size() == 1);
  CHECK(of_kind(two.database.events(), "flush_end").empty());
  rocksdb::Status status = rocksdb::Status::NoSpace();
  Listener::find(options.listeners)
      ->OnBackgroundError(rocksdb::BackgroundErrorReason::kFlush, &status);
  for (auto* const f : {&one, &two}) {
    const auto errors = of_kind(f->database.events(), "background_error");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].words.at("whose") == "one of several databases");
  }
}

TEST_CASE("a handle that its host deletes without a word is not used any more") {
  ListenerFixture f;
  f.host.destroy_handle(1);
  const auto sample = f.database.sampler().take();
  for (const auto& family : sample.column_families) {
    if (family.name == "second") CHECK(family.properties.empty());
  }
}

TEST_CASE("what was changed through a handle is returned when its host deletes it without a word") {
  ListenerFixture f;
  auto& control = f.database.control();
  REQUIRE(control.take_lease(
      {.holder = "me", .seconds = 60, .on_expiry = "restore", .remaining_seconds = {}}));
  const auto applied = control.apply({.holder = "me",
                                      .changes = {{.id = "1",
                                                   .knob = "max_write_buffer_number",
                                                   .column_family = "second",
                                                   .value = 7,
                                                   .expect = 2}}});
  REQUIRE(applied);
  REQUIRE(applied->results.at(0).status == "applied");
  REQUIRE(f.host.db->GetOptions(f.host.handles[1]).max_write_buffer_number == 7);
  f.host.destroy_handle(1);
  const auto changes = of_kind(f.database.events(), "change");
  REQUIRE(changes.size() == 2);
  CHECK(changes[1].column_family == "second");
  CHECK(changes[1].words.at("knob") == "max_write_buffer_number");
  CHECK(changes[1].numbers.at("after") == 2);
}

TEST_CASE("handles are deleted while the database is sampled and closes") {
  for (int round = 0; round < 20; ++round) {
    ListenerFixture f;
    std::atomic<bool> done{false};
    std::thread reader([&] {
      while (!done) {
        if (const auto inside = f.database.pass()) {
          f.database.sampler().take();
          f.database.sampler().explain_stalls(f.database.events());
        }
      }
    });
    std::thread closer([&] { f.database.close(); });
    f.host.destroy_handle(1);
    closer.join();
    done = true;
    reader.join();
  }
}

TEST_CASE("the OPTIONS file does not name it") {
  const ListenerFixture f;
  for (const auto& name : f.host.files()) {
    if (!name.starts_with("OPTIONS")) continue;
    std::ifstream file(f.host.directory.file("db") + "/" + name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    REQUIRE_FALSE(text.empty());
    CHECK(text.find("rocktune") == std::string::npos);
  }
}

}  // namespace
}  // namespace rocktune::agent
