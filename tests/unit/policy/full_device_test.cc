// headroom on a device that has nothing left: more jobs and smaller pieces take from each other
// there, and from reads.
#include "tests/unit/policy/write_size_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Compactions keep the device busy, all slots are in use, and writers stall.
HeadroomBench on_full_device() {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.run(10, knob::kBackgroundJobs);  // what the device takes at its idlest
  bench.f.device_read_await_ms = 3;
  bench.f.running_compactions = 1;
  bench.f.stalled_ratio = 0.3;
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
  SECTION("it made stalls rarer") {
    bench.f.stalled_ratio = 0.06;
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

TEST_CASE("jobs: a raise that ended the stall goes back as it came", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  bench.run(5, knob::kBackgroundJobs);
  bench.f.stalled_ratio = 0;
  bench.f.l0_ratio = 0.1;
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
  SECTION("unless the device is no longer full") {
    bench.f.device_read_await_ms = 0.2;
    CHECK_FALSE(bench.run(9, knob::kBackgroundJobs));
    const auto again = bench.run(10, knob::kBackgroundJobs);
    REQUIRE(again);
    CHECK(again->rule == "jobs.backlog");
    bench.apply(*again);  // which is another one
    bench.f.device_read_await_ms = 3;
    bench.f.running_compactions = 2;
    CHECK_FALSE(bench.run(25, knob::kBackgroundJobs));
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

TEST_CASE("write size: what costs reads is compared beside such work only", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.running_compactions = 0;
  bench.f.compaction_write_bytes_per_second = bench.f.flush_bytes_per_second = 0;
  bench.f.read_p99_us = 2000;
  bench.f.read_mean_us = 500;
  CHECK_FALSE(bench.run(12, knob::kWriteSize));
  bench.f.running_compactions = 1;  // one that goes on
  bench.f.read_p99_us = 20'000;
  bench.f.read_mean_us = 1300;
  bench.f.reads_per_second = 1500;
  const auto small = bench.run(8, knob::kWriteSize);
  REQUIRE(small);
  bench.apply(*small);
  bench.f.read_p99_us = 14'000;
  bench.f.read_mean_us = 1200;
  CHECK_FALSE(bench.run(600, knob::kWriteSize));
}

TEST_CASE("write size: faster reads are not to cost operations", "[headroom]") {
  HeadroomBench bench = behind_writes();
  bench.f.read_mean_us = 1000;
  const auto small = bench.run(8, knob::kWriteSize);
  REQUIRE(small);
  bench.apply(*small);
  bench.f.read_p99_us = 14'000;  // by 30%: clearly
  bench.f.read_mean_us = 1300;
  bench.f.reads_per_second = 1500;
  SECTION("an eighth of them") {
    const auto back = bench.run(33, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.futile");
    CHECK(back->reason.find("4000 operations/s before and 3500 now") != std::string::npos);
  }
  SECTION("unless they are faster by a third and more") {
    bench.f.read_p99_us = 13'000;
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("a few") {
    bench.f.reads_per_second = 1900;
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("those that nobody asked for") {
    bench.f.read_mean_us = 900;
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("what a stall costs is not the pieces'") {
    bench.f.reads_per_second = 2000;
    for (int i = 0; i < 120; ++i) {
      const bool stalls = i % 20 < 6;
      bench.f.stalled_ratio = stalls ? 0.9 : 0;
      bench.f.writes_per_second = stalls ? 100 : 2000;
      for (const Proposal& one : bench.tick()) CHECK(one.rule != "write_size.futile");
    }
  }
}

TEST_CASE("write size: larger pieces before a backlog on a full device stalls", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.read_p99_us = 4000;
  CHECK_FALSE(bench.run(60, knob::kWriteSize));
  bench.backlog(18);
  SECTION("one that lasts") {
    CHECK_FALSE(bench.run(4.5, knob::kWriteSize));
    const auto back = bench.run(2, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.backlog");
    CHECK(back->to == kFoundPieces);
    CHECK(back->reason.find("L0 has 18 of 20 files") != std::string::npos);
  }
  SECTION("not where nothing warns") {
    bench.backlog(11);
    CHECK_FALSE(bench.run(60, knob::kWriteSize));
  }
  SECTION("not on a device that has room") {
    bench.f.device_queue = 1;
    CHECK_FALSE(bench.run(60, knob::kWriteSize));
  }
  SECTION("nor are they made smaller meanwhile") {
    HeadroomBench large = behind_writes();
    large.f.device_write_await_ms = 1;
    large.run(5, knob::kWriteSize);
    large.f.device_write_await_ms = 8;
    large.backlog(18);
    CHECK_FALSE(large.run(60, knob::kWriteSize));
  }
}
