// Raises of jobs where hardly any CPU is idle: what more of them do there they take from reads.
#include <algorithm>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("jobs: none where CPUs are what reads that come first lack", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.objective.first = Priority::kReadP99;
  bench.objective.read_p99_seconds = 0.005;
  bench.f.running_compactions = 1;
  bench.run(10, knob::kBackgroundJobs);
  bench.f.cpu_busy_ratio = 0.92;
  bench.f.read_p99_us = 2000;
  bool lack = true;
  SECTION("as it is") {}
  SECTION("of its own quota") {
    bench.f.cpu_busy_ratio = 0.1;
    bench.f.process_cpu_cores = 3.6;
  }
  SECTION("of a quota below the CPUs that it may be on") {
    bench.f.cpu_busy_ratio = 0.1;
    bench.f.cpu_quota = 3.4;
    bench.f.process_cpu_cores = 3;
  }
  SECTION("a quota leaves it enough") {
    bench.f.cpu_busy_ratio = 0.1;
    bench.f.cpu_quota = 3.6;
    bench.f.process_cpu_cores = 3;
    lack = false;
  }
  SECTION("a small quota that it hardly uses") {
    bench.f.cpu_busy_ratio = 0.1;
    bench.f.cpu_quota = 0.5;
    bench.f.process_cpu_cores = 0.05;
    lack = false;
  }
  SECTION("it has some of a machine that others keep busy") {
    bench.f.cpu_busy_ratio = 0.85;
    bench.f.process_cpu_cores = 0.2;
    lack = false;
  }
  SECTION("some are left") {
    bench.f.cpu_busy_ratio = 0.8;
    lack = false;
  }
  SECTION("reads have time") {
    bench.f.read_p99_us = 1000;
    lack = false;
  }
  SECTION("others come first") {
    bench.objective.first = Priority::kThroughput;
    lack = false;
  }
  bench.run(2, knob::kBackgroundJobs);
  bench.f.stalled_ratio = 0.3;
  bench.f.l0_files = 18;
  bench.f.l0_ratio = 0.9;
  const auto raise = bench.run(0.5, knob::kBackgroundJobs);
  CHECK(raise.has_value() == !lack);
  if (!lack) return;
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
  bench.f.write_stopped = 1;
  CHECK(bench.run(1.5, knob::kBackgroundJobs));
}

TEST_CASE("jobs: those that ended a stall are given back where CPUs are what reads lack",
          "[headroom]") {
  HeadroomBench bench;
  bench.objective.first = Priority::kReadP99;
  bench.run(10, knob::kBackgroundJobs);
  bench.f.knobs.edit()[1] = jobs_knob(3, 2);
  bench.f.running_compactions = 2;
  CHECK_FALSE(bench.run(20, knob::kBackgroundJobs));
  bench.f.cpu_busy_ratio = 0.99;
  bench.f.read_p99_us = 4000;
  const auto back = bench.run(15, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.loaded");
  CHECK(back->to == 2);
  CHECK(back->reason.find("hardly any CPU is idle: more than 2 background jobs only take theirs "
                          "from reads") != std::string::npos);
  const auto shown = [&back](const char* feature) {
    return std::ranges::any_of(back->evidence,
                               [&](const Driver& e) { return e.feature == feature; });
  };
  CHECK(shown("cpu_busy_ratio"));
  CHECK(shown("read_p99_us"));
  CHECK_FALSE(shown("device_read_await_ms"));
}

TEST_CASE("jobs: CPUs that nobody counts any more are not what reads lack", "[headroom]") {
  HeadroomBench bench;
  bench.budget.jobs_max = 8;
  bench.objective.first = Priority::kReadP99;
  bench.f.running_compactions = 1;
  bench.f.cpu_busy_ratio = 0.99;
  bench.f.process_cpu_cores = 3.9;
  bench.f.read_p99_us = 4000;
  bench.run(10, knob::kBackgroundJobs);
  bench.f.cpu_busy_ratio.reset();
  bench.f.process_cpu_cores.reset();
  bench.run(10, knob::kBackgroundJobs);
  bench.f.stalled_ratio = 0.3;
  bench.f.l0_files = 18;
  bench.f.l0_ratio = 0.9;
  CHECK(bench.run(0.5, knob::kBackgroundJobs));
}

TEST_CASE("jobs: full CPUs beside no compaction give none back", "[headroom]") {
  HeadroomBench bench;
  bench.objective.first = Priority::kReadP99;
  bench.f.knobs.edit()[1] = jobs_knob(3, 2);
  bench.f.cpu_busy_ratio = 0.99;
  bench.f.read_p99_us = 4000;
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));
}
