// The headroom policy on a toy plant: from the Mild-Pressure of source 000 to calm, and then still.
#include <cmath>
#include <map>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/policy/fault_loop.h"
#include "tests/unit/policy/loop.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Small buffers, little parallelism, a rate limit far below the device.
void mild_pressure(ToyPlant& plant) {
  plant.limit = plant.found_limit = 20 * kMiB;
  plant.jobs = plant.found_jobs = 1;
}

EngineConfig four_jobs() {
  EngineConfig config;
  config.budget.jobs_max = 4;
  return config;
}

}  // namespace

TEST_CASE("Mild-Pressure is lifted within seconds", "[loop]") {
  EngineConfig still;
  still.policy = "static";
  Loop fixed(still), tuned(four_jobs());
  mild_pressure(fixed.plant);
  mild_pressure(tuned.plant);
  fixed.run(60);
  tuned.run(60);
  CHECK(fixed.changes == 0);
  CHECK(tuned.plant.written() > 1.5 * fixed.plant.written());
  CHECK(tuned.plant.limit >= 120e6);
  CHECK(tuned.plant.jobs >= 3);
  const Decision& first = tuned.decisions.at(0);
  CHECK(first.proposal.knob == knob::kRateLimit);
  CHECK(first.proposal.rule == "limiter.backlog");
  CHECK_FALSE(first.proposal.reason.empty());
  CHECK_FALSE(first.proposal.evidence.empty());
}

TEST_CASE("Mild-Pressure: the limiter alone is lifted within 10 s of the first stall", "[loop]") {
  Loop loop;
  mild_pressure(loop.plant);
  for (int i = 0; i < 200 && !(loop.plant.stalled_seconds() > 0); ++i) loop.tick();
  REQUIRE(loop.plant.stalled_seconds() > 0);
  loop.run(10);
  CHECK(loop.plant.limit >= 160 * static_cast<std::int64_t>(kMiB));
}

TEST_CASE("in a steady state nothing moves", "[loop]") {
  Loop loop(four_jobs());
  mild_pressure(loop.plant);
  loop.run(180);
  int before = loop.changes;
  loop.run(600);
  CHECK(loop.changes - before <= 2);
  CHECK(loop.plant.l0() < 20);
}

TEST_CASE("in a steady state with every knob, at 70% of what can be had, hardly anything moves",
          "[loop]") {
  FaultLoop loop(four_jobs());
  loop.plant.add_all_knobs();
  mild_pressure(loop.plant);
  loop.plant.device_bandwidth = 260e6;  // of which 30 MB/s of writes take some 70%
  loop.run(1800);
  REQUIRE_FALSE(loop.actuations.empty());  // the first reactions
  for (int i = 0; i < 6; ++i) {
    CAPTURE(i);
    const std::size_t before = loop.actuations.size();
    const double passed = loop.plant.background();
    loop.run(600);
    CHECK(loop.actuations.size() - before <= 2);
    const double load = (loop.plant.background() - passed) / 600 / loop.plant.device_bandwidth;
    CHECK(load == Approx(0.7).margin(0.1));
  }
  CHECK(loop.plant.l0() < 20);
}

TEST_CASE("a healthy database is left alone", "[loop]") {
  Loop loop(four_jobs());
  loop.plant.jobs = loop.plant.found_jobs = 4;
  loop.plant.demand = 15e6;
  loop.run(900);
  CHECK(loop.changes == 0);
  CHECK(loop.decisions.empty());
}

TEST_CASE("compactions that disturb reads without a backlog are limited, not starved", "[loop]") {
  Loop loop(four_jobs());
  loop.plant.jobs = loop.plant.found_jobs = 4;
  loop.plant.demand = 15e6;
  loop.plant.device_bandwidth = 90e6;
  loop.plant.read_p99_us = 4000;
  loop.plant.disturbance = 1;
  loop.run(300);
  REQUIRE(loop.changes > 0);
  CHECK(loop.decisions.at(0).proposal.rule == "limiter.reads");
  CHECK(loop.plant.limit < 120e6);
  CHECK(loop.plant.limit >= 15e6 * 3);
  CHECK(loop.plant.l0() < 20);
  int before = loop.changes;
  loop.run(600);
  CHECK(loop.changes - before <= 4);
  CHECK(loop.plant.l0() < 20);
}

TEST_CASE("slow reads with a backlog never lower the limiter", "[loop]") {
  Loop loop(four_jobs());
  mild_pressure(loop.plant);
  loop.plant.read_p99_us = 9000;
  loop.plant.demand = 100e6;
  loop.run(120);
  for (const Decision& decision : loop.decisions) {
    if (decision.proposal.knob != knob::kRateLimit) continue;
    CHECK(decision.proposal.to > decision.proposal.from);
  }
}

TEST_CASE("a burst over, an unused job goes back after minutes", "[loop]") {
  Loop loop(four_jobs());
  loop.plant.jobs = loop.plant.found_jobs = 2;
  loop.plant.demand = 60e6;
  loop.run(60);
  std::int64_t most = loop.plant.jobs;
  REQUIRE(most > 2);
  loop.plant.demand = 1e6;
  loop.run(200);
  CHECK(loop.plant.jobs == most);
  loop.run(1400);
  CHECK(loop.plant.jobs == 2);
}

namespace {

// A load that is on for half of each period and nearly off for the other half, on a device that
// reads suffer from: quiet times invite lowerings, loud ones need raises.
void breathe(Loop& loop, double period_seconds, double periods) {
  double demand = loop.plant.demand;
  for (int i = 0; i < static_cast<int>(2 * period_seconds * periods); ++i) {
    double phase = std::fmod(0.5 * i, period_seconds);
    loop.plant.demand = phase < period_seconds / 2 ? demand : 0.02 * demand;
    loop.tick();
  }
  loop.plant.demand = demand;
}

void suffering_reads(ToyPlant& plant, std::int64_t limit) {
  plant.limit = plant.found_limit = limit;
  plant.jobs = plant.found_jobs = 4;
  plant.demand = 15e6;
  plant.device_bandwidth = 90e6;
  plant.read_p99_us = 4000;
  plant.disturbance = 1;
}

}  // namespace

TEST_CASE("a load that comes and goes every minute is learnt, not chased", "[loop]") {
  std::int64_t found = GENERATE(20 * static_cast<std::int64_t>(kMiB), kUnlimitedBytesPerSecond);
  Loop loop(four_jobs());
  suffering_reads(loop.plant, found);
  breathe(loop, 60, 60);
  int before = loop.changes;
  breathe(loop, 60, 120);
  CHECK(loop.changes - before <= 12);  // in two hours
  for (const Decision& decision : loop.decisions) {
    bool raise =
        decision.proposal.knob == knob::kRateLimit && decision.proposal.to > decision.proposal.from;
    if (raise) CHECK(decision.verdict.rule != "oscillation");  // writes never wait for the argument
  }
}

namespace {

// How often each knob changed its direction, of the decisions from `first` on that were made.
std::map<std::string, int> reversals(const Loop& loop, std::size_t first) {
  std::map<std::string, int> out;
  std::map<std::string, bool> up;
  for (std::size_t i = first; i < loop.decisions.size(); ++i) {
    const Decision& decision = loop.decisions[i];
    if (!is_allowed(decision)) continue;
    const bool rises = decision.verdict.value > decision.proposal.from;
    const auto [before, is_first] = up.try_emplace(decision.proposal.knob, rises);
    out[decision.proposal.knob] += !is_first && before->second != rises ? 1 : 0;
    before->second = rises;
  }
  return out;
}

}  // namespace

TEST_CASE("a day's rise and fall moves each knob there and back, once", "[loop]") {
  Loop loop(four_jobs());
  suffering_reads(loop.plant, kUnlimitedBytesPerSecond);
  loop.plant.device_bandwidth = 200e6;
  loop.plant.demand = 30e6;
  breathe(loop, 7200, 2);
  const std::size_t first = loop.decisions.size();
  breathe(loop, 7200, 2);
  const auto turned = reversals(loop, first);
  CHECK_FALSE(turned.empty());
  // Up, down, up, down.
  for (const auto& [name, times] : turned) {
    CAPTURE(name);
    CHECK(times <= 3);
  }
}

TEST_CASE("the cache and others' memory come to rest", "[loop]") {
  constexpr double kGiB = 1024.0 * kMiB;
  Loop loop;
  loop.plant.working_set = 12 * kGiB;
  loop.plant.cache = loop.plant.found_cache = static_cast<std::int64_t>(8 * kGiB);
  loop.plant.others = 7.4 * kGiB;  // leaves 4%
  loop.plant.demand = 5e6;
  loop.run(1800);
  CHECK(loop.plant.cache < loop.plant.found_cache);
  CHECK(loop.plant.memory_available >= 0.05 * 16 * kGiB);
  int before = loop.changes;
  loop.run(2 * 3600);
  CHECK(loop.changes == before);
}

TEST_CASE("advise mode says it more and more rarely and spends no change budget", "[loop]") {
  Loop loop(four_jobs());
  loop.act = false;
  mild_pressure(loop.plant);
  loop.run(3600);
  CHECK(loop.plant.limit == 20 * static_cast<std::int64_t>(kMiB));
  int limiter = 0;
  for (const Decision& decision : loop.decisions) {
    if (decision.proposal.knob == knob::kRateLimit) ++limiter;
  }
  CHECK(limiter >= 6);  // after 0, 1, 3, 7, 15, 31 minutes
  CHECK(limiter <= 12);
  CHECK(loop.outcomes.empty());
}

TEST_CASE("changes that were applied get their outcome", "[loop]") {
  Loop loop(four_jobs());
  mild_pressure(loop.plant);
  loop.run(120);
  CHECK(static_cast<int>(loop.outcomes.size()) == loop.changes);
  bool better = false;
  for (const Outcome& outcome : loop.outcomes) better = better || outcome.result == "better";
  CHECK(better);
}
