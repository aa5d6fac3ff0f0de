// The limiter's loop where flushes and compactions fill the device beside reads in a burst of
// writes: what they write is made even.
#include <string>

#include "tests/unit/policy/deferral_bench.h"
#include "tests/unit/policy/one_compaction_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

KnobReading aid_knob(std::string_view name, std::int64_t value) {
  KnobReading out;
  out.name = name;
  out.value = out.found = value;
  out.changeable = true;
  return out;
}

// As filled(), but with few flushes, the agent's own limiter, and more written than lately.
HeadroomBench burst() {
  HeadroomBench bench = filled(10e6);
  bench.f.user_write_bytes_per_second = 40e6;
  bench.f.knobs.edit().push_back(aid_knob(knob::kLimitFlushes, 0));
  bench.f.knobs.edit().push_back(aid_knob(knob::kL0Weight, 4));
  fill_level0(bench, 8);
  return bench;
}

HeadroomBench smoothed() {
  HeadroomBench bench = burst();
  limit(bench, next_limit(bench, 8, "limiter.smooth"));
  CHECK_FALSE(bench.run(0.5, knob::kRateLimit));
  return bench;
}

}  // namespace

TEST_CASE("smoothing: in a burst of writes what fills the device gets nearly what passes",
          "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  const Proposal first = next_limit(bench, 8, "limiter.smooth");
  CHECK(first.to == 26'100'000);  // 0.87 of what passes
  CHECK(first.expected.feature == "read_p99_us");
  CHECK(first.expected.lower_is_better);
  CHECK(first.reason.find("read P99 is 12 ms beside flushes and compactions that fill the device "
                          "with 29 MiB/s") != std::string::npos);
  limit(bench, first);
  // Level 0 goes first: that it fills is no reason to end it.
  fill_level0(bench, 18);
  warn_of_backlog(bench);
  CHECK_FALSE(bench.run(250, knob::kRateLimit));
}

TEST_CASE("smoothing: where a loan may be given, it comes first", "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  bench.f.user_write_bytes_per_second = 10e6;
  fill_level0(bench, 2);
  next_limit(bench, 8, "limiter.defer");
}

TEST_CASE("smoothing: not without need, or room", "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  SECTION("writers come first") {
    bench.objective.first = Priority::kStallSeconds;
  }
  SECTION("bytes count") {
    bench.objective.first = Priority::kThroughput;
  }
  SECTION("reads are far from their SLO") {
    bench.f.read_p99_us = 7'000;
  }
  SECTION("nobody reads") {
    bench.f.reads_per_second = 1;
    bench.run(70, knob::kRateLimit);
  }
  SECTION("the device has room") {
    saturated(bench, AlertState::kOk);
  }
  SECTION("level 0 is three quarters full") {
    fill_level0(bench, 15);
  }
  SECTION("half of the soft limit is pending") {
    bench.f.pending_ratio = 0.5;
  }
  SECTION("nobody knows how much is pending") {
    bench.f.pending_bytes.reset();
  }
  SECTION("writes are stalled") {
    bench.f.stalled_ratio = 0.3;
  }
  SECTION("flushes are more than two fifths of it, in looks in which one ends") {
    int tick = 0;
    const auto last = bench.run_ticks(200, knob::kRateLimit, [&](int) {
      bench.f.flush_bytes_per_second = ++tick % 4 == 0 ? 52e6 : 0;
      bench.f.read_p99_us = tick < 80 ? 1'000 : 12'000;
    });
    CHECK_FALSE(last);
  }
  SECTION("nobody knows how much flushes write") {
    bench.f.flush_bytes_per_second.reset();
    bench.run_ticks(80, knob::kRateLimit, [&](int) { bench.f.read_p99_us = 1'000; });
    bench.f.read_p99_us = 12'000;
  }
  SECTION("several databases on the device share a budget") {
    bench.f.shared = SharedBudget{};
    bench.f.shared->device_members = 2;
  }
  SECTION("the budget's least rate is as much") {
    bench.budget.rate_limit_min = {29e6};
  }
  const auto last = bench.run(20, knob::kRateLimit);
  CHECK((!last || last->rule != "limiter.smooth"));
}

TEST_CASE("smoothing: ends where writers wait, or what it was for is gone",
          "[headroom][smoothing]") {
  HeadroomBench bench = smoothed();
  SECTION("writes are stalled") {
    bench.f.stalled_ratio = 0.3;
    CHECK(next_limit(bench, 0.5, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
  SECTION("not for a delay to more than is written") {
    bench.f.stalled_ratio = 0.01;
    CHECK_FALSE(bench.run(20, knob::kRateLimit));
  }
  SECTION("not since one of two memtables is always in its flush") {
    bench.f.memtable_ratio = 0.5;
    CHECK_FALSE(bench.run(20, knob::kRateLimit));
  }
  SECTION("three of four memtables wait for their flush") {
    bench.f.max_write_buffers = 4;
    bench.f.memtable_ratio = 0.5;
    CHECK_FALSE(bench.run(10, knob::kRateLimit));
    bench.f.memtable_ratio = 0.75;
    const Proposal back = next_limit(bench, 6, "limiter.unpaced");
    CHECK(back.to == kUnlimitedBytesPerSecond);
    CHECK(back.reason.starts_with("memtables wait for their flushes"));
  }
  SECTION("more is written than it was made for") {
    bench.f.user_write_bytes_per_second = 48e6;
    CHECK_FALSE(bench.run(20, knob::kRateLimit));
    bench.f.user_write_bytes_per_second = 90e6;
    const Proposal back = next_limit(bench, 3, "limiter.unpaced");
    CHECK(back.to == kUnlimitedBytesPerSecond);
    CHECK(back.reason.starts_with("more is written than before"));
  }
  SECTION("half of the soft limit is pending") {
    bench.f.pending_ratio = 0.5;
    CHECK(next_limit(bench, 0.5, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
  SECTION("nobody knows how much waits") {
    bench.f.l0_ratio.reset();
    bench.f.l0_files.reset();
    const Proposal back = next_limit(bench, 0.5, "limiter.unpaced");
    CHECK(back.reason.starts_with("nobody knows how much waits"));
  }
  SECTION("reads are far from their SLO, and the limit holds something up") {
    bench.f.read_p99_us = 1'000;
    CHECK_FALSE(bench.run(29, knob::kRateLimit));
    CHECK(next_limit(bench, 3, "limiter.worked_off").to == kUnlimitedBytesPerSecond);
  }
  SECTION("the limit has not bound for five minutes") {
    free_device(bench);
    bench.set_limit(26'100'000, 1e6);
    CHECK_FALSE(bench.run(290, knob::kRateLimit));
    next_limit(bench, 15, "limiter.worked_off");
  }
}

TEST_CASE("smoothing: rests for a moment after writers had to wait, and then for longer",
          "[headroom][smoothing]") {
  HeadroomBench bench = smoothed();
  for (const double rest : {5.0, 10.0}) {
    bench.f.stalled_ratio = 0.3;
    limit(bench, next_limit(bench, 0.5, "limiter.unpaced"));
    bench.f.stalled_ratio = 0;
    bench.run(4, knob::kRateLimit);  // the mean of 3 s has forgotten it
    CHECK_FALSE(bench.run(rest - 5, knob::kRateLimit));
    limit(bench, next_limit(bench, 4, "limiter.smooth"));
    bench.run(1, knob::kRateLimit);
  }
}

TEST_CASE("smoothing: flushes keep to the limit, and level 0 goes first, as long as it lasts",
          "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  const Proposal lower = next_limit(bench, 8, "limiter.smooth");
  CHECK_FALSE(bench.run(0.5, knob::kLimitFlushes));  // not before it was made
  limit(bench, lower);
  struct Aid {
    std::string_view knob, rule;
    std::int64_t to;
  };
  const std::vector<Aid> aids{{knob::kLimitFlushes, "smoothing.flushes", 1},
                              {knob::kL0Weight, "smoothing.level0", 16}};
  for (const Aid& aid : aids) {
    const auto turned = bench.run(1, aid.knob);
    REQUIRE(turned);
    CHECK(turned->rule == aid.rule);
    CHECK(turned->to == aid.to);
    CHECK(turned->expected.feature.empty());  // the limit is judged
    bench.apply(*turned);
    CHECK_FALSE(bench.run(20, aid.knob));
  }
  bench.f.stalled_ratio = 0.3;
  limit(bench, next_limit(bench, 0.5, "limiter.unpaced"));
  for (const Aid& aid : aids) {
    const auto back = bench.run(1, aid.knob);
    REQUIRE(back);
    CHECK(back->rule == "smoothing.ended");
    CHECK(back->to == bench.knob(aid.knob).found);
  }
}

TEST_CASE("smoothing: flushes keep to the limit while compactions wait for reads, too",
          "[headroom][smoothing][deferral]") {
  const double flushed = GENERATE(9e6, 20e6);  // of 30 MB/s that pass
  HeadroomBench bench = filled(flushed);
  limit(bench, next_limit(bench, 8, "limiter.defer"));
  bench.f.knobs.edit().push_back(aid_knob(knob::kLimitFlushes, 0));
  const auto flushes = bench.run(0.5, knob::kLimitFlushes);
  REQUIRE(flushes.has_value() == (flushed < 10e6));  // two thirds of it would fill the limit
  if (!flushes) return;
  CHECK(flushes->rule == "smoothing.flushes");
  CHECK_FALSE(bench.run(5, knob::kBackgroundJobs));  // debt is meant to grow
  bench.apply(*flushes);
  bench.f.memtable_ratio = 1;
  const auto back = bench.run(6, knob::kLimitFlushes);
  REQUIRE(back);
  CHECK(back->rule == "smoothing.ended");
}

TEST_CASE("smoothing: what an operator has set stays, what another policy has left goes back",
          "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  SECTION("an operator's") {
    limit(bench, next_limit(bench, 8, "limiter.smooth"));
    bench.knob(knob::kLimitFlushes).owner = KnobOwner::kManual;
    CHECK_FALSE(bench.run(1, knob::kLimitFlushes));
  }
  SECTION("another policy's") {
    KnobReading& flushes = bench.knob(knob::kLimitFlushes);
    flushes.value = 1;
    flushes.owner = KnobOwner::kRocktune;
    const auto back = bench.run(0.5, knob::kLimitFlushes);
    REQUIRE(back);
    CHECK(back->rule == "smoothing.ended");
    CHECK(back->to == 0);
  }
}

TEST_CASE("smoothing: two compactions share what the limit lets through", "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  bench.budget.jobs_max = 4;
  CHECK_FALSE(bench.run(1, knob::kBackgroundJobs));
  limit(bench, next_limit(bench, 8, "limiter.smooth"));
  bench.knob(knob::kL0Weight).owner = KnobOwner::kManual;  // level 0 does not go first
  CHECK_FALSE(bench.run(5, knob::kBackgroundJobs));
  bench.knob(knob::kL0Weight).owner = KnobOwner::kFound;
  const auto more = bench.run(0.5, knob::kBackgroundJobs);
  REQUIRE(more);
  CHECK(more->rule == "jobs.smooth");
  CHECK(more->to == 3);
  bench.apply(*more);
  CHECK_FALSE(bench.run(60, knob::kBackgroundJobs));  // neither more nor back
  bench.f.stalled_ratio = 0.3;
  limit(bench, next_limit(bench, 0.5, "limiter.unpaced"));
  const auto back = bench.run(0.5, knob::kBackgroundJobs);
  REQUIRE(back);
  CHECK(back->rule == "jobs.smoothed");
  CHECK(back->to == 2);
}

TEST_CASE("smoothing: what the guard allowed a part of does not smooth, and goes on",
          "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  Proposal part = next_limit(bench, 8, "limiter.smooth");
  part.to = 60'000'000;
  limit(bench, part);
  CHECK_FALSE(bench.run(0.5, knob::kLimitFlushes));
  CHECK(next_limit(bench, 3, "limiter.smooth").to == 26'100'000);
}

TEST_CASE("smoothing: a way back of which a part was made holds up no other",
          "[headroom][smoothing]") {
  HeadroomBench bench = smoothed();
  bench.f.stalled_ratio = 0.3;
  Proposal part = next_limit(bench, 0.5, "limiter.unpaced");
  part.to = 104'400'000;
  limit(bench, part);
  bench.f.stalled_ratio = 0;
  CHECK(next_limit(bench, 20, "limiter.smooth").to == 26'100'000);
}

TEST_CASE("smoothing: no more jobs than the budget has", "[headroom][smoothing]") {
  HeadroomBench bench = burst();
  bench.knob(knob::kL0Weight).value = 16;
  bench.budget.jobs_max = 2;
  limit(bench, next_limit(bench, 8, "limiter.smooth"));
  CHECK_FALSE(bench.run(30, knob::kBackgroundJobs));
}
