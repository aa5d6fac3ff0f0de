// The limiter's loop where reads of another database on the device wait for what is written at
// once.
#include "tests/unit/policy/deferral_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Nobody reads it; 30 MB/s are flushed and compacted.
HeadroomBench writer() {
  HeadroomBench bench;
  bench.budget.jobs_max = 4;
  bench.f.reads_per_second = 0;
  bench.f.read_p99_us.reset();
  bench.f.running_compactions = 1;
  bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
  for (const auto& [name, value] :
       {std::pair(knob::kLimitFlushes, 0), std::pair(knob::kL0Weight, 4)}) {
    KnobReading aid;
    aid.name = name;
    aid.value = aid.found = value;
    aid.changeable = true;
    bench.f.knobs.edit().push_back(aid);
  }
  bench.f.shared = SharedBudget{};
  bench.f.shared->host_members = bench.f.shared->device_members = 2;
  return bench;
}

void ask(HeadroomBench& bench, Counter from = 4'000'000) {
  bench.f.shared->smooth_from_bytes_per_second = from;
}

HeadroomBench asked() {
  HeadroomBench bench = writer();
  CHECK_FALSE(bench.run(20, knob::kRateLimit));
  ask(bench);
  return bench;
}

void writes_little(HeadroomBench& bench) {
  bench.f.user_write_bytes_per_second = 0.1e6;
  bench.f.flush_bytes_per_second = 0;
  bench.f.compaction_write_bytes_per_second = 0;
  bench.f.running_compactions = 0;
  bench.set_limit(bench.f.knobs.edit()[0].value, 0);
}

}  // namespace

TEST_CASE("smoothing for others: who writes much gets less than passes, as long as it is asked to",
          "[headroom][smoothing]") {
  HeadroomBench bench = asked();
  const Proposal lower = next_limit(bench, 0.5, "limiter.smooth");
  CHECK(lower.to == 22'500'000);  // 0.75 of 30 MB/s
  CHECK(
      lower.reason.starts_with("reads on this device wait for flushes and compactions of several"));
  limit(bench, lower);
  bench.f.limiter_bytes_per_second = 22.5e6;
  const auto flushes = bench.run(1, knob::kLimitFlushes);
  REQUIRE(flushes);
  CHECK(flushes->rule == "smoothing.flushes");
  const auto jobs = bench.run(1, knob::kBackgroundJobs);
  REQUIRE(jobs);
  CHECK(jobs->rule == "jobs.smooth");
  // Its own idle time ends nothing.
  writes_little(bench);
  CHECK_FALSE(bench.run(600, knob::kRateLimit));
  ask(bench, std::nullopt);
  const Proposal back = next_limit(bench, 0.5, "limiter.worked_off");
  CHECK(back.to == kUnlimitedBytesPerSecond);
  CHECK(back.reason.starts_with("what reads on this device waited for is gone"));
}

TEST_CASE("smoothing for others: who writes little is bound for what may come, and that is all",
          "[headroom][smoothing]") {
  HeadroomBench bench = writer();
  writes_little(bench);
  bench.run(70, knob::kRateLimit);
  ask(bench);
  SECTION("no lower than it may be") {
    bench.budget.rate_limit_min = {10e6};
    CHECK(next_limit(bench, 0.5, "limiter.smooth").to == 10'000'000);
    return;
  }
  bench.budget.rate_limit_min = {1e6};
  const Proposal lower = next_limit(bench, 0.5, "limiter.smooth");
  CHECK(lower.to == 4'000'000);
  SECTION("a part of the way goes on") {
    limit(bench, [&] {
      Proposal part = lower;
      part.to = 9'000'000;
      return part;
    }());
    bench.f.limiter_bytes_per_second = 0;
    CHECK(next_limit(bench, 0.5, "limiter.smooth").to == 4'000'000);
  }
  SECTION("nothing comes with it") {
    limit(bench, lower);
    bench.f.limiter_bytes_per_second = 0;
    bench.f.running_compactions = 1;
    CHECK_FALSE(bench.run(5, knob::kBackgroundJobs));
    CHECK_FALSE(bench.run(1, knob::kLimitFlushes));
    CHECK_FALSE(bench.run(1, knob::kRateLimit));
  }
  SECTION("it ends when a compaction has waited for it for a minute") {
    limit(bench, lower);
    bench.set_limit(4'000'000, 3.9e6);
    bench.f.compaction_write_bytes_per_second = 3.9e6;
    bench.f.running_compactions = 1;
    CHECK_FALSE(bench.run(55, knob::kRateLimit));
    const Proposal back = next_limit(bench, 10, "limiter.unpaced");
    CHECK(back.to == kUnlimitedBytesPerSecond);
    CHECK(back.reason.starts_with("compactions have waited for long, and for more than pends"));
  }
  SECTION("it ends when more is written") {
    limit(bench, lower);
    bench.f.limiter_bytes_per_second = 0;
    bench.run(5, knob::kRateLimit);
    bench.f.user_write_bytes_per_second = 10e6;
    bench.set_limit(4'000'000, 4e6);
    bench.f.compaction_write_bytes_per_second = 4e6;
    CHECK(next_limit(bench, 3, "limiter.unpaced").to == kUnlimitedBytesPerSecond);
  }
}

TEST_CASE("smoothing for others: not where its own writers pay for it", "[headroom][smoothing]") {
  HeadroomBench bench = asked();
  SECTION("they come first") {
    bench.objective.first = Priority::kStallSeconds;
  }
  SECTION("they are stalled") {
    bench.f.stalled_ratio = 0.3;
  }
  SECTION("level 0 is three quarters full") {
    fill_level0(bench, 15);
  }
  SECTION("the least rate allowed is as much as passes") {
    bench.budget.rate_limit_min = {29e6};
  }
  SECTION("flushes are most of it") {
    bench.f.flush_bytes_per_second = 26e6;
    bench.f.compaction_write_bytes_per_second = 4e6;
    bench.run(0.5, knob::kRateLimit);
    ask(bench, std::nullopt);
    bench.run(30, knob::kRateLimit);
    ask(bench);
  }
  const auto last = bench.run(20, knob::kRateLimit);
  CHECK((!last || last->rule != "limiter.smooth"));
}

TEST_CASE("smoothing for others: what a division leaves of the way back is gone once it ends",
          "[headroom][smoothing]") {
  HeadroomBench bench = asked();
  limit(bench, next_limit(bench, 0.5, "limiter.smooth"));
  bench.run(1, knob::kRateLimit);
  bench.f.shared->background_max_bytes_per_second = 80'000'000;
  ask(bench, std::nullopt);
  Proposal part = next_limit(bench, 0.5, "limiter.worked_off");
  part.to = 80'000'000;  // as the guard has it
  limit(bench, part);
  CHECK_FALSE(bench.run(600, knob::kRateLimit));
  bench.f.shared->background_max_bytes_per_second = 100'000'000;
  part = next_limit(bench, 0.5, "limiter.worked_off");
  part.to = 100'000'000;
  limit(bench, part);
  CHECK_FALSE(bench.run(60, knob::kRateLimit));
  bench.f.shared->background_max_bytes_per_second.reset();
  const Proposal back = next_limit(bench, 0.5, "limiter.worked_off");
  CHECK(back.to == kUnlimitedBytesPerSecond);
  limit(bench, back);
  CHECK_FALSE(bench.run(60, knob::kRateLimit));
}

TEST_CASE("smoothing for others: asked for no more before it is made, it goes back all the same",
          "[headroom][smoothing]") {
  HeadroomBench bench = writer();
  writes_little(bench);
  bench.budget.rate_limit_min = {1e6};
  bench.run(70, knob::kRateLimit);
  ask(bench);
  const Proposal lower = next_limit(bench, 0.5, "limiter.smooth");
  ask(bench, std::nullopt);
  limit(bench, lower);
  bench.f.limiter_bytes_per_second = 0;
  CHECK(next_limit(bench, 1, "limiter.worked_off").to == kUnlimitedBytesPerSecond);
}
