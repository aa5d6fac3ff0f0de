// Raises of jobs on a device that has nothing left: more of them take from each other there.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Compactions keep the device busy, all slots are in use, and writers stand still.
HeadroomBench on_full_device() {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.run(10, knob::kBackgroundJobs);  // what the device takes at its idlest
  bench.f.device_read_await_ms = 3;
  bench.f.running_compactions = 1;
  bench.f.stalled_ratio = 0.3;
  bench.f.write_stopped = 1;
  bench.f.l0_files = 18;
  bench.f.l0_ratio = 0.9;
  return bench;
}

HeadroomBench with_one_more_job() {
  HeadroomBench bench = on_full_device();
  const auto raise = bench.run(6, knob::kBackgroundJobs);
  REQUIRE(raise);
  CHECK(raise->rule == "jobs.backlog");
  CHECK(raise->to == 3);
  bench.apply(*raise);
  bench.f.running_compactions = 2;
  return bench;
}

}  // namespace

TEST_CASE("jobs: on a loaded device a raise is judged before the next", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  bench.run(1, knob::kBackgroundJobs);
  double waits = 29;
  SECTION("it moved more bytes") {
    bench.f.compaction_write_bytes_per_second = 40e6;
  }
  SECTION("nobody knows how many bytes: it is waited for as long again") {
    bench.f.compaction_write_bytes_per_second.reset();
    waits = 59;
  }
  SECTION("the limiter came between: so it is then") {
    bench.set_limit(400 * kHeadroomMiB, 30e6);
    waits = 59;
  }
  CHECK_FALSE(bench.run(waits, knob::kBackgroundJobs));
  const auto next = bench.run(2, knob::kBackgroundJobs);
  REQUIRE(next);
  CHECK(next->rule == "jobs.backlog");
  CHECK(next->to == 4);
}

TEST_CASE("jobs: on a loaded device a raise that made stalls rarer is none in vain", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  bench.f.write_stopped = 0;
  bench.f.stalled_ratio = 0.15;
  CHECK_FALSE(bench.run(32, knob::kBackgroundJobs));
  bench.f.write_stopped = 1;
  const auto next = bench.run(6, knob::kBackgroundJobs);
  REQUIRE(next);
  CHECK(next->rule == "jobs.backlog");
}

// RocksDB counts the time of a stop as it ends.
TEST_CASE("jobs: on a loaded device a stop that lasts is no end of stalls", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  bench.f.stalled_ratio = 0;
  const auto back = bench.run(33, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.futile");
}

TEST_CASE("jobs: on a loaded device writers who only lose time get none", "[headroom]") {
  HeadroomBench bench = on_full_device();
  bench.f.write_stopped = 0;
  SECTION("some of it") {
    bench.f.stalled_ratio = 0.45;
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
    bench.f.device_read_await_ms = 0.2;
    const auto raise = bench.run(10, knob::kBackgroundJobs);
    REQUIRE(raise);
    CHECK(raise->rule == "jobs.backlog");
  }
  SECTION("but most of it for long") {
    bench.f.stalled_ratio = 0.9;
    CHECK_FALSE(bench.run(13, knob::kBackgroundJobs));
    const auto raise = bench.run(10, knob::kBackgroundJobs);
    REQUIRE(raise);
    CHECK(raise->rule == "jobs.backlog");
  }
  SECTION("nor for a stop of a moment") {
    bench.f.stalled_ratio = 0.2;
    for (int i = 0; i < 30; ++i) {
      bench.f.write_stopped = i % 2;
      CHECK_FALSE(bench.run(0.5, knob::kBackgroundJobs));
    }
  }
}

TEST_CASE("jobs: none for a burst that has just filled the device", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.f.running_compactions = 1;
  bench.run(10, knob::kBackgroundJobs);
  const bool fills = GENERATE(true, false);
  bench.f.device_read_await_ms = fills ? 3 : 0.2;
  bench.run(1, knob::kBackgroundJobs);
  bench.f.stalled_ratio = 0.3;
  bench.f.l0_files = 18;
  bench.f.l0_ratio = 0.9;
  const auto raise = bench.run(0.5, knob::kBackgroundJobs);
  CHECK(raise.has_value() == !fills);  // at once where it has room
  if (fills) CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
}

TEST_CASE("jobs: a raise that ended the stall goes back as it came", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  bench.run(5, knob::kBackgroundJobs);
  bench.f.stalled_ratio = 0;
  bench.f.write_stopped = 0;
  bench.f.l0_ratio = 0.1;
  SECTION("nothing warns") {}
  SECTION("a warning alone, which would not have raised them") {
    bench.backlog(8);
    bench.indicators[0].state = AlertState::kCritical;
  }
  SECTION("but not while half of what may be pending waits") {
    bench.f.pending_ratio = 0.5;
    CHECK_FALSE(bench.run(40, knob::kBackgroundJobs));
    bench.f.pending_ratio = 0.4;
  }
  SECTION("but not while a backlog warns near its limit") {
    bench.backlog(16);
    bench.indicators[0].state = AlertState::kCritical;
    CHECK_FALSE(bench.run(40, knob::kBackgroundJobs));
    bench.backlog(8);
  }
  const auto back = bench.run(40, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.loaded");
}

TEST_CASE("jobs: a raise that moved no more bytes goes back", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  CHECK_FALSE(bench.run(30, knob::kBackgroundJobs));
  const auto back = bench.run(1, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.futile");
  CHECK(back->to == 2);
  CHECK(back->expected.feature.empty());  // no experiment: nothing takes it back
  CHECK(back->reason.find("with 3 background jobs flushes and compactions move 29 MiB/s, before "
                          "they were raised it was 29 MiB/s, and writers stall as before") !=
        std::string::npos);
  SECTION("for a minute, then what stands stays") {
    const auto still = bench.run(50, knob::kBackgroundJobs);
    REQUIRE(still);
    CHECK(still->rule == "jobs.futile");
    bench.run(15, knob::kBackgroundJobs);
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
  bench.apply(*back);
  bench.f.running_compactions = 1;
  SECTION("and none comes for ten minutes") {
    CHECK_FALSE(bench.run(590, knob::kBackgroundJobs));
    const auto again = bench.run(12, knob::kBackgroundJobs);
    REQUIRE(again);
    CHECK(again->rule == "jobs.backlog");
  }
  SECTION("nor while it moves as many bytes, however long its reads take") {
    bench.f.device_read_await_ms = 0.2;
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
  SECTION("unless the device is no longer full") {
    bench.f.device_read_await_ms = 0.2;
    bench.f.compaction_write_bytes_per_second = 8e6;
    CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
    const auto again = bench.run(10, knob::kBackgroundJobs);
    REQUIRE(again);
    CHECK(again->rule == "jobs.backlog");
    bench.apply(*again);  // which is another one
    bench.f.device_read_await_ms = 3;
    bench.f.running_compactions = 2;
    CHECK_FALSE(bench.run(25, knob::kBackgroundJobs));
  }
  SECTION("or when it moves more than ever") {
    bench.f.device_read_await_ms = 0.2;
    bench.f.compaction_write_bytes_per_second = 30e6;
    CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
    CHECK(bench.run(10, knob::kBackgroundJobs));
  }
  SECTION("not that its reads are not seen for a moment") {
    bench.f.device_read_await_ms.reset();
    CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
  }
}

TEST_CASE("jobs: futile again, they rest for twice as long, and nothing else is learnt of it",
          "[headroom]") {
  HeadroomBench bench = on_full_device();
  for (const double rest : {600.0, 1200.0, 2400.0}) {
    const auto raise = bench.run(6, knob::kBackgroundJobs);
    REQUIRE(raise);
    CHECK(raise->rule == "jobs.backlog");
    bench.apply(*raise);
    bench.f.running_compactions = 2;
    const auto back = bench.run(32, knob::kBackgroundJobs);
    REQUIRE(back);
    CHECK(back->rule == "jobs.futile");
    bench.apply(*back);
    bench.f.running_compactions = 1;
    CHECK_FALSE(bench.run(rest - 10, knob::kBackgroundJobs));
    bench.run(8, knob::kBackgroundJobs);
  }
  const auto helps = bench.run(6, knob::kBackgroundJobs);
  REQUIRE(helps);
  bench.apply(*helps);
  bench.f.running_compactions = 2;
  bench.f.compaction_write_bytes_per_second = 60e6;
  bench.f.stalled_ratio = 0;
  bench.f.write_stopped = 0;
  bench.f.l0_ratio = 0.1;
  CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
  const auto back = bench.run(6, knob::kBackgroundJobs);  // as soon as ever
  REQUIRE(back);
  CHECK(back->rule == "jobs.loaded");
}

TEST_CASE("jobs: several steps are one raise, and none goes below what was found", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  bench.run(10, knob::kBackgroundJobs);
  bench.f.device_read_await_ms = 0.2;  // nothing is in the way of the next
  auto next = bench.run(17, knob::kBackgroundJobs);
  REQUIRE(next);
  bench.apply(*next);
  bench.f.running_compactions = 1;  // not another one
  bench.f.device_read_await_ms = 3;
  CHECK_FALSE(bench.run(29, knob::kBackgroundJobs));
  std::int64_t to = 2;
  SECTION("all of it goes back") {}
  SECTION("as far as it is ours") {
    to = bench.knob(knob::kBackgroundJobs).found = 3;
  }
  const auto back = bench.run(3, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.futile");
  CHECK(back->to == to);
}

TEST_CASE("jobs: what others raise is not judged", "[headroom]") {
  HeadroomBench bench = on_full_device();
  bench.f.running_compactions = 0.6;  // a free slot: no wish of our own
  bench.run(10, knob::kBackgroundJobs);
  bench.knob(knob::kBackgroundJobs).value = 4;
  bench.knob(knob::kBackgroundJobs).owner = KnobOwner::kRocktune;
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
}

TEST_CASE("jobs: no more of them for memtables on a loaded device", "[headroom]") {
  HeadroomBench bench = on_full_device();
  bench.f.l0_files = 2;
  bench.f.l0_ratio = 0.1;
  bench.f.memtable_ratio = 1;
  bench.f.immutable_memtables = 2;
  bench.f.running_flushes = 1;
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  bench.f.device_read_await_ms = 0.2;
  const auto raise = bench.run(10, knob::kBackgroundJobs);
  REQUIRE(raise);
  CHECK(raise->to > 2);
}

TEST_CASE("jobs: a level 0 that is half full for a moment asks for none", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.f.running_compactions = 1;
  const auto warned = [&bench](double l0_files, double seconds) {
    bench.backlog(l0_files);
    bench.indicators[0].state = AlertState::kWarning;
    return bench.run(seconds, knob::kBackgroundJobs);
  };
  CHECK_FALSE(warned(4, 20));
  for (int round = 0; round < 5; ++round) {  // between two compactions
    CHECK_FALSE(warned(12, 2));
    CHECK_FALSE(warned(4, 4));
  }
  SECTION("one that stays does") {
    CHECK(warned(12, 12));
  }
  SECTION("one that is nearly full does at once") {
    CHECK(warned(15, 0.5));
  }
  SECTION("so do pending bytes") {
    bench.f.pending_ratio = 0.5;
    CHECK(warned(4, 0.5));
  }
}

TEST_CASE("jobs: a device that was busy from the start is a loaded one, too", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.f.device_read_await_ms = 0.8;
  bench.f.device_queue = 7;
  bench.run(10, knob::kBackgroundJobs);
  bench.f.device_read_await_ms = 1.8;
  bench.f.running_compactions = 1;
  bench.run(6, knob::kBackgroundJobs);
  bench.backlog(15);
  bench.indicators[0].state = AlertState::kWarning;
  SECTION("with requests in flight: no more jobs for a level 0 that nobody feels") {
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
  SECTION("without them it has room") {
    bench.f.device_queue = 2;
    CHECK(bench.run(10, knob::kBackgroundJobs));
  }
}

TEST_CASE("jobs: where polls are far apart a device is loaded, too", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 64;
  bench.f.interval_seconds = GENERATE(3, 10);
  bench.run(60, knob::kBackgroundJobs);
  bench.f.device_read_await_ms = 3;
  bench.f.running_compactions = 1;
  bench.run(20, knob::kBackgroundJobs);
  bench.backlog(15);
  bench.indicators[0].state = AlertState::kWarning;
  CHECK_FALSE(bench.run(120, knob::kBackgroundJobs));
}

TEST_CASE("jobs: what a device took a day ago is not what it takes at its idlest", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.f.interval_seconds = 10;
  bench.f.device_read_await_ms = 0.2;  // served by some cache for a while
  bench.run(60, knob::kBackgroundJobs);
  bench.f.device_read_await_ms = 1.2;
  const bool forgotten = GENERATE(true, false);
  bench.run(forgotten ? 25 * 3600 : 3600, knob::kBackgroundJobs);
  bench.f.running_compactions = 1;
  bench.run(20, knob::kBackgroundJobs);
  bench.backlog(15);
  bench.indicators[0].state = AlertState::kWarning;
  CHECK(bench.run(60, knob::kBackgroundJobs).has_value() == forgotten);
}

TEST_CASE("jobs: at the limit of its control group a database has a loaded device", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.f.device_read_await_ms = 0.2;  // which sees none of those that wait
  bench.f.device_queue = 2;
  bench.f.io_limit_use_ratio = 0.5;
  bench.f.running_compactions = 1;
  bench.run(10, knob::kBackgroundJobs);
  bench.backlog(15);
  bench.indicators[0].state = AlertState::kWarning;
  SECTION("it does all that it may") {
    bench.f.io_limit_use_ratio = 0.97;
    bench.f.l0_ratio = 0.2;
    bench.run(6, knob::kBackgroundJobs);
    bench.backlog(15);
    CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  }
  SECTION("it has room") {
    CHECK(bench.run(20, knob::kBackgroundJobs));
  }
}
