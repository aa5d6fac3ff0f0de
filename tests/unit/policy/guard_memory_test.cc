// What the guard remembers of column families that are gone, and what several of them may take.
#include <string>

#include "policy/blame.h"
#include "policy/canary.h"
#include "policy/guard_history.h"
#include "policy/in_common.h"
#include "policy/journal_filter.h"
#include "policy/oscillation.h"
#include "tests/unit/policy/guard_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr int kHours = 100;
constexpr std::size_t kMostKept = 6;  // of the last four hours

KnobReading base_of(const std::string& family) {
  KnobReading reading =
      knob_reading(knob::kLevelBase, 256 * kGuardMiB, 256 * kGuardMiB, kGuardMiB, 1LL << 40);
  reading.column_family = family;
  return reading;
}

Decision larger_base_of(const std::string& family) {
  Decision decision;
  decision.id = "1-1";
  decision.proposal.knob = knob::kLevelBase;
  decision.proposal.column_family = family;
  decision.proposal.from = 256 * kGuardMiB;
  decision.proposal.to = 512 * kGuardMiB;
  decision.proposal.rule = "level_base.writes";
  decision.proposal.expected = {"write_amplification", true, 8, 60};
  decision.verdict = {VerdictKind::kAllowed, decision.proposal.to, "", ""};
  return decision;
}

// A host that makes a column family each hour and drops the one before.
template <class Use>
void use_hourly(const Use& use) {
  for (int hour = 0; hour < kHours; ++hour) {
    const std::string family = "cf-" + std::to_string(hour);
    use(larger_base_of(family), at_seconds(3600.0 * hour), KnobReadings{base_of(family)});
  }
}

}  // namespace

TEST_CASE("guard: what is remembered does not grow with names", "[guard]") {
  SECTION("moves") {
    GuardHistory history;
    use_hourly([&](const Decision& made, Nanoseconds now, const KnobReadings& knobs) {
      history.record(made.proposal, now);
      history.forget({knobs, now});
    });
    CHECK(history.remembered() <= kMostKept);
  }
  SECTION("moves to and fro") {
    Oscillation oscillation;
    use_hourly([&](const Decision& made, Nanoseconds now, const KnobReadings& knobs) {
      oscillation.moved(made.proposal, now);
      oscillation.forget({knobs, now});
    });
    CHECK(oscillation.remembered() <= kMostKept);
  }
  SECTION("blames") {
    Blames blames;
    use_hourly([&](const Decision& made, Nanoseconds now, const KnobReadings& knobs) {
      blames.blame(made.proposal, made.id, now);
      blames.forget({knobs, now});
    });
    CHECK(blames.remembered() <= kMostKept);
  }
  SECTION("canaries") {
    Canaries canaries;
    use_hourly([&](const Decision& made, Nanoseconds now, const KnobReadings& knobs) {
      canaries.decided(made, now);
      canaries.applied(made, now);
      canaries.forget({knobs, now});
    });
    CHECK(canaries.remembered() <= 2 * kMostKept);
  }
  SECTION("what the journal was told") {
    JournalFilter filter;
    use_hourly([&](const Decision& made, Nanoseconds now, const KnobReadings&) {
      CHECK(filter.admits(made, now));
      filter.failed(made.proposal, now);
    });
    CHECK(filter.remembered() <= kMostKept);
  }
}

TEST_CASE("guard: what is there, or was used lately, is remembered", "[guard]") {
  const Decision made = larger_base_of("a");
  const KnobReadings with{base_of("a")}, without{base_of("b")};
  Blames blames;
  blames.blame(made.proposal, made.id, at_seconds(0));
  blames.forget({with, at_seconds(100 * 3600)});
  CHECK(blames.remembered() == 1);
  blames.forget({without, at_seconds(4 * 3600)});
  CHECK(blames.remembered() == 1);
  blames.forget({without, at_seconds(4 * 3600 + 1)});
  CHECK(blames.remembered() == 0);
}

TEST_CASE("guard: a column family that was gone for hours begins anew", "[guard]") {
  GuardBench bench;
  const Proposal raise = larger_base_of("a").proposal;
  bench.f.knobs.edit().push_back(base_of("a"));
  bench.pass(1);
  bench.guard.blame(raise, "1-1", bench.f.at.tick);
  const bool dropped = GENERATE(false, true);
  if (dropped) bench.f.knobs.edit().pop_back();
  bench.pass(4 * 3600 + 60);  // within four hours of the end of its rest
  if (dropped) bench.f.knobs.edit().push_back(base_of("a"));
  bench.pass(1);
  bench.guard.blame(raise, "2-1", bench.f.at.tick);
  bench.pass(700);  // beyond a first rest
  const Verdict verdict = bench.guard.judge(raise, bench.f);
  CHECK(is(verdict, dropped ? VerdictKind::kAllowed : VerdictKind::kHeld, dropped ? "" : "blamed"));
}

TEST_CASE("guard: growths of one sample share the memory that there is", "[guard]") {
  const bool by_budget = GENERATE(true, false);
  Budget budget;
  budget.memory_max = Bytes{(by_budget ? 1024 : 1 << 20) * kGuardMiB};
  Guard guard(budget, {}, GuardScope::kHardLimits);
  Features f;
  f.fresh = true;
  f.memory_available_bytes = 1024.0 * kGuardMiB;
  for (const char* family : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    KnobReading size =
        knob_reading(knob::kWriteBufferSize, 32 * kGuardMiB, 32 * kGuardMiB, kGuardMiB, 1LL << 40);
    KnobReading number = knob_reading(knob::kWriteBuffers, 2, 2, 2, 64);
    size.column_family = number.column_family = family;
    f.knobs.edit().push_back(size);
    f.knobs.edit().push_back(number);
  }
  f.at.tick = at_seconds(10);
  guard.observe(f);
  std::int64_t buffers = 0;
  for (const KnobReading& size : f.knobs) {
    if (size.name != knob::kWriteBufferSize) continue;
    Proposal proposal;
    proposal.knob = size.name;
    proposal.column_family = size.column_family;
    proposal.from = size.value;
    proposal.to = 512 * kGuardMiB;
    proposal.rule = "adoc.memtable";
    buffers += 2 * guard.judge(proposal, f).value;
  }
  CHECK(buffers > 512 * kGuardMiB);  // some do grow
  CHECK(buffers <= (by_budget ? 1024 : 512 + 1024) * kGuardMiB);
}

TEST_CASE("guard: a large cache goes back to what all have in common in steps", "[guard]") {
  GuardBench bench;
  KnobReading& cache = bench.knob(knob::kCacheCapacity);
  cache.found = cache.min = cache.max = 8192 * kGuardMiB;
  cache.value = 2048 * kGuardMiB;
  cache.owner = KnobOwner::kRocktune;
  bench.f.memory_available_bytes = 6144.0 * kGuardMiB;
  int steps = 0;
  while (bench.knob(knob::kCacheCapacity).value < 8192 * kGuardMiB && steps < 10) {
    Proposal back = propose_in_common(bench.f).at(0);
    back.expected = {};
    const Decision decision{std::to_string(++steps), back, {}};
    CHECK(bench.act(decision).kind != VerdictKind::kRejected);
    bench.pass(6);
  }
  CHECK(steps == 3);  // by half of what is available each: 5, 8
}
