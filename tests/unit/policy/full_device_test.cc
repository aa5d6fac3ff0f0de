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
  bench.f.compaction_write_bytes_per_second = 40e6;
  CHECK_FALSE(bench.run(30, knob::kBackgroundJobs));
  SECTION("it moved more bytes: the next may come") {
    const auto next = bench.run(2, knob::kBackgroundJobs);
    REQUIRE(next);
    CHECK(next->rule == "jobs.backlog");
    CHECK(next->to == 4);
  }
  SECTION("nobody knows how many: as far as is known it helped") {
    HeadroomBench blind = with_one_more_job();
    blind.f.compaction_write_bytes_per_second.reset();
    CHECK_FALSE(blind.run(30, knob::kBackgroundJobs));
    CHECK(blind.run(2, knob::kBackgroundJobs));
  }
}

TEST_CASE("jobs: a raise that moved no more bytes goes back", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  CHECK_FALSE(bench.run(30, knob::kBackgroundJobs));
  const auto back = bench.run(1, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.futile");
  CHECK(back->to == 2);
  CHECK(back->reason.find("29 MiB/s with 3 background jobs, 29 MiB/s before") != std::string::npos);
  SECTION("and none comes for ten minutes") {
    bench.apply(*back);
    bench.f.running_compactions = 1;
    CHECK_FALSE(bench.run(560, knob::kBackgroundJobs));
    CHECK(bench.run(60, knob::kBackgroundJobs)->rule == "jobs.backlog");
  }
  SECTION("unless the device is no longer full") {
    bench.apply(*back);
    bench.f.running_compactions = 1;
    bench.f.device_read_await_ms = 0.2;
    CHECK(bench.run(10, knob::kBackgroundJobs)->rule == "jobs.backlog");
  }
  SECTION("an offer for a minute") {
    bench.f.stalled_ratio = 0;
    bench.backlog(18);  // no reason to give it back for the load
    CHECK(bench.run(50, knob::kBackgroundJobs)->rule == "jobs.futile");
    CHECK_FALSE((bench.run(15, knob::kBackgroundJobs), bench.run(60, knob::kBackgroundJobs)));
  }
}

TEST_CASE("jobs: several steps are one raise, and none goes below what was found", "[headroom]") {
  HeadroomBench bench = with_one_more_job();
  bench.run(10, knob::kBackgroundJobs);
  bench.knob(knob::kBackgroundJobs).value = 5;
  bench.f.running_compactions = 4;
  CHECK_FALSE(bench.run(29, knob::kBackgroundJobs));
  SECTION("all of it goes back") {
    CHECK(bench.run(3, knob::kBackgroundJobs)->to == 2);
  }
  SECTION("as far as it is ours") {
    bench.knob(knob::kBackgroundJobs).found = 4;
    CHECK(bench.run(3, knob::kBackgroundJobs)->to == 4);
  }
}

TEST_CASE("jobs: compactions relieve no flush on a loaded device", "[headroom]") {
  HeadroomBench bench = on_full_device();
  bench.f.l0_files = 2;
  bench.f.l0_ratio = 0.1;
  bench.f.memtable_ratio = 1;
  bench.f.immutable_memtables = 2;
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  SECTION("flush slots would") {
    bench.f.running_flushes = 1;
    CHECK(bench.run(6, knob::kBackgroundJobs)->to == 8);
  }
  SECTION("on another they do") {
    bench.f.device_read_await_ms = 0.2;
    CHECK(bench.run(10, knob::kBackgroundJobs)->to > 2);
  }
}

TEST_CASE("write size: faster reads are not to cost operations", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.read_p99_us = 14'000;  // by 30%: clearly
  bench.f.reads_per_second = 1500;
  SECTION("an eighth of them") {
    const auto back = bench.run(33, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.futile");
    CHECK(back->reason.find("4000 operations/s before and 3500 now") != std::string::npos);
  }
  SECTION("unless they are twice as fast") {
    bench.f.read_p99_us = 9000;
    CHECK_FALSE(bench.run(600, knob::kWriteSize));
  }
  SECTION("a few") {
    bench.f.reads_per_second = 1900;
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
  bench.backlog(11);
  SECTION("one that lasts") {
    CHECK_FALSE(bench.run(4.5, knob::kWriteSize));
    const auto back = bench.run(2, knob::kWriteSize);
    REQUIRE(back);
    CHECK(back->rule == "write_size.backlog");
    CHECK(back->to == kFoundPieces);
    CHECK(back->reason.find("L0 has 11 of 20 files") != std::string::npos);
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
    large.backlog(11);
    CHECK_FALSE(large.run(60, knob::kWriteSize));
  }
}
