// Changes and returns while RocksDB would keep options waiting.
#include "agent/write_stop.h"

#include <rocksdb/write_buffer_manager.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/unit/agent/control_setup.h"
#include "tests/unit/agent/database_fixture.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using testing::DatabaseFixture;

constexpr KnobInfo kStopRate{.name = "rate",
                             .scope = Scope::kLimiter,
                             .bundle = Bundle::kRate,
                             .min = 1,
                             .max = 1000,
                             .when_lowered = Relief::kDevice};

// Options `a` and `b` that RocksDB can keep waiting, and a rate that it cannot; all found at 100.
struct StopSetup : testing::ControlSetup {
  std::int64_t rate = 100;
  std::shared_ptr<testing::FakeGroup> limiter =
      std::make_shared<testing::FakeGroup>(Scope::kLimiter, "");
  testing::FakeKnob* knob_rate = limiter->add_knob(kStopRate, rate);

  StopSetup() {
    control->add(limiter);
    take_lease();
  }
  void stop() { group->not_now = "writes are stopped"; }
  void go_on() { group->not_now.clear(); }
};

TEST_CASE("in a write stop the rate is changed, options are refused and may be tried again") {
  StopSetup s;
  s.stop();
  const std::vector<wire::Change> request = {
      {"1", "a", "", 50, {}}, {"2", "rate", "", 200, {}}, {"3", "b", "", 60, {}}};
  auto results = s.change_all(request);
  CHECK(results.at(0).status == "refused");
  CHECK(results.at(0).reason == "writes are stopped");
  CHECK(results.at(0).after == 100);
  CHECK(results.at(1).status == "applied");
  CHECK(results.at(2).status == "refused");
  CHECK(s.group->calls == 0);
  CHECK(s.rate == 200);
  CHECK(s.events().size() == 1);
  CHECK(s.change_all({{"1", "a", "", 50, {}}, {"1", "a", "", 50, {}}}).at(1).status == "refused");

  s.go_on();
  results = s.change_all(request);  // the same ids
  CHECK(results.at(0).status == "applied");
  CHECK(results.at(1).status == "applied");
  CHECK(s.knob_rate->writes == 1);
  CHECK(s.a == 50);
  CHECK(s.b == 60);
}

TEST_CASE("an option that has its value already waits for nothing") {
  StopSetup s;
  s.stop();
  CHECK(s.set("a", 100).status == "unchanged");
}

TEST_CASE("what RocksDB cannot keep waiting is not made behind what it can") {
  StopSetup s;
  std::int64_t rate_then = 0;
  s.knob_a->on_write = [&] { rate_then = s.rate; };
  s.change_all({{"1", "a", "", 50, {}}, {"2", "rate", "", 200, {}}});
  CHECK(rate_then == 200);
}

TEST_CASE("in a write stop a lease's end returns the rate at once, and options after the stop") {
  StopSetup s;
  s.change_all({{"1", "a", "", 200, {}}, {"2", "b", "", 200, {}}, {"3", "rate", "", 50, {}}});
  s.stop();
  s.now += 10s;
  s.control->tick();  // up it goes, though options that relieve the CPU would come first
  CHECK(s.rate == 100);
  for (int i = 0; i < 20; ++i) s.control->tick();
  CHECK(s.a == 200);
  CHECK(s.log.size() == 1);
  CHECK(s.group->calls == 1);
  s.go_on();
  s.control->tick();
  s.control->tick();
  CHECK(s.a == 100);
  CHECK(s.b == 100);
  CHECK(s.log.back() == "the lease expired: b returned from 200 to 100");
}

TEST_CASE("a restore in a write stop returns the options when it is over") {
  const bool hold = GENERATE(false, true);
  StopSetup s;
  s.change_all({{"1", "a", "", 200, {}}, {"3", "rate", "", 50, {}}});
  s.stop();
  const auto answer = s.control->restore(hold);
  REQUIRE(answer.results.size() >= 2);
  CHECK(s.rate == 100);
  CHECK(s.a == 200);
  const auto option = std::ranges::find(answer.results, "a", &wire::ChangeResult::id);
  REQUIRE(option != answer.results.end());
  CHECK(option->status == "refused");
  CHECK(option->after == 200);
  if (hold) s.take_lease();  // too late for those that are held
  s.go_on();
  s.control->tick();
  CHECK(s.a == 100);
  CHECK(s.log.back() == "restore: a returned from 200 to 100");
  CHECK(s.control->describe().at(0).owner == (hold ? "manual" : "found"));
  CHECK(s.control->describe().at(1).owner == (hold ? "manual" : "found"));
  s.control->tick();
  if (!hold) s.take_lease();
  CHECK(s.set("a", 60).status == (hold ? "conflict" : "applied"));
  s.control->tick();
  CHECK(s.a == (hold ? 100 : 60));
}

TEST_CASE("what goes in a write stop leaves its options as they are, and says so") {
  StopSetup s;
  s.change_all({{"1", "a", "", 200, {}}, {"2", "b", "", 50, {}}, {"3", "rate", "", 50, {}}});
  s.stop();
  s.control->remove(s.group);
  CHECK(s.a == 200);
  CHECK(s.b == 50);
  CHECK(s.group->calls == 1);
  CHECK_FALSE(s.knob_a->state().held_by(1));
  REQUIRE(s.log.size() == 2);
  CHECK(s.log[0] == "closing, but a stays 200: writes are stopped");
  CHECK(s.log[1] == "closing, but b stays 50: writes are stopped");
  CHECK(s.events().back().words.at("status") == "refused");
  s.control->abandon();
  CHECK(s.rate == 100);
}

TEST_CASE("a cache that cannot bear its value is asked for 1/1000 of the time, and at a close") {
  testing::ControlSetup s(Scope::kCache);
  s.take_lease();
  s.set("a", 150);
  s.group->not_now = "reads would fail";
  int asked = 0;
  s.group->when_asked = [&] {
    ++asked;
    s.computed += 5ms;
  };
  s.now += 10s;
  for (int i = 0; i < 25; ++i) {  // of 200 ms
    s.control->tick();
    s.now += 200ms;
  }
  CHECK(asked == 1);
  s.control->tick();
  CHECK(asked == 2);
  s.control->return_limits();
  CHECK(asked > 2);
  s.group->not_now.clear();
  s.control->tick();
  CHECK(s.a == 150);
  s.now += 5s;
  s.control->tick();
  CHECK(s.a == 100);
}

// Until start_again(): one file in level 0 is enough to stop writes, and too few for a compaction.
void stop_writes(DatabaseFixture& f) {
  f.put("a");
  f.flush(0);
  REQUIRE(f.host.db
              ->SetOptions(
                  {{"level0_slowdown_writes_trigger", "1"}, {"level0_stop_writes_trigger", "1"}})
              .ok());
}

void start_again(DatabaseFixture& f) {
  REQUIRE(f.host.db
              ->SetOptions(
                  {{"level0_slowdown_writes_trigger", "20"}, {"level0_stop_writes_trigger", "36"}})
              .ok());
}

TEST_CASE("RocksDB's own write stop refuses the options that would wait for its end") {
  DatabaseFixture f;
  auto& control = f.database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  CHECK(why_options_wait(f.host.db.get()).empty());
  stop_writes(f);
  CHECK_THAT(why_options_wait(f.host.db.get()), Contains("writes are stopped"));
  const wire::ChangesRequest request{"me",
                                     {{"1", "max_background_jobs", "", 6, {}},
                                      {"2", "rate_limiter_bytes_per_second", "", 8 << 20, {}},
                                      {"3", "write_buffer_size", "second", 8 << 20, {}}}};
  auto answer = control.apply(request);
  REQUIRE(answer.has_value());
  CHECK(answer->results.at(1).status == "applied");
  for (const std::size_t option : {0, 2}) {
    const wire::ChangeResult& result = answer->results.at(option);
    CHECK(result.status == (kEveryOptionWaits ? "refused" : "applied"));
    CHECK(result.reason.empty() != kEveryOptionWaits);
  }
  CHECK(f.host.db->GetDBOptions().max_background_jobs == (kEveryOptionWaits ? 2 : 6));
  const auto wal = control.apply({"me", {{"4", "max_total_wal_size", "", 64 << 20, {}}}});
  REQUIRE(wal.has_value());
  CHECK_THAT(wal->results.at(0).reason, Contains("writes are stopped"));
  start_again(f);
  answer = control.apply(request);
  REQUIRE(answer.has_value());
  for (const auto& result : answer->results) CHECK(result.status == "applied");
}

TEST_CASE("a sample tells of the write buffer manager, and whether it stalls writers") {
  rocksdb::DBOptions options;
  {
    DatabaseFixture f(options);
    CHECK(f.database.sampler().take().write_buffer_manager.empty());  // one without a limit
  }
  constexpr std::size_t kLimit = 4 << 20;
  const auto manager = std::make_shared<rocksdb::WriteBufferManager>(kLimit, nullptr, true);
  options.write_buffer_manager = manager;
  DatabaseFixture f(options);
  using Told = std::map<std::string, std::uint64_t>;
  CHECK(f.database.sampler().take().write_buffer_manager ==
        Told{{"limit_bytes", kLimit}, {"stall_active", 0}});
  REQUIRE(f.host.db->PauseBackgroundWork().ok());
  std::atomic<bool> ok{true};
  std::thread writer([&] {
    for (int i = 0; i < 1000; ++i) {
      ok = ok && f.host.db->Put({}, std::to_string(i), std::string(10000, 'v')).ok();
    }
  });
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!manager->IsStallActive() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  const wire::Sample sample = f.database.sampler().take();
  CHECK(sample.write_buffer_manager.at("stall_active") == 1);
  CHECK(sample.properties.at("is-write-stopped") == 0);
  REQUIRE(f.host.db->ContinueBackgroundWork().ok());
  writer.join();
  CHECK(ok);
}

TEST_CASE("a handle that goes in a write stop does not wait for its end") {
  DatabaseFixture f;
  auto& control = f.database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  REQUIRE(control.apply({"me", {{"1", "write_buffer_size", "second", 8 << 20, {}}}})
              ->results.at(0)
              .status == "applied");
  stop_writes(f);
  f.database.forget(f.host.handles[1]);
  // On no version: the thread that destroys the handle is the host's.
  CHECK(f.host.db->GetOptions(f.host.handles[1]).write_buffer_size == 8 << 20);
  const auto events = f.database.events().read(0, 100).events;
  const auto told = std::ranges::find_if(events, [](const wire::Event& event) {
    return event.kind == "change" && event.words.at("why") == "closing";
  });
  REQUIRE(told != events.end());
  CHECK(told->words.at("status") == "refused");
  CHECK(told->column_family == "second");
  start_again(f);
}

}  // namespace
}  // namespace rocktune::agent
