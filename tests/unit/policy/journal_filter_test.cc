#include "policy/journal_filter.h"

#include <algorithm>

#include "model/knobs.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/policy/outcome_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("the journal hears the same refusal once a minute", "[journal]") {
  JournalFilter filter;
  Decision held = lowered_limiter();
  held.verdict = {VerdictKind::kHeld, 100, "dwell", "..."};
  CHECK(filter.admits(held, at_seconds(0)));
  CHECK_FALSE(filter.admits(held, at_seconds(1)));
  held.verdict.rule = "budget";
  CHECK(filter.admits(held, at_seconds(2)));
  held.verdict.rule = "dwell";
  CHECK_FALSE(filter.admits(held, at_seconds(3)));
  held.proposal.rule = "limiter.backlog";
  CHECK(filter.admits(held, at_seconds(4)));
  CHECK(filter.admits(held, at_seconds(64)));
}

TEST_CASE("an allowed change that was not applied is asked again after a minute", "[journal]") {
  JournalFilter filter;
  Decision made = lowered_limiter();
  CHECK(filter.wants(made.proposal, at_seconds(0)));
  CHECK(filter.admits(made, at_seconds(0)));
  CHECK_FALSE(filter.wants(made.proposal, at_seconds(30)));
  CHECK(filter.wants(made.proposal, at_seconds(60)));
  Proposal other = made.proposal;
  other.to = 200;  // the other way
  CHECK(filter.wants(other, at_seconds(1)));
  other = made.proposal;
  other.from = 90;  // the knob has moved
  CHECK(filter.wants(other, at_seconds(1)));
}

TEST_CASE("rules that ask for this and that in turns are heard once each", "[journal]") {
  JournalFilter filter;
  Decision down = lowered_limiter(), up = lowered_limiter();
  up.proposal.to = 200;
  up.proposal.rule = "limiter.backlog";
  int heard = 0;
  for (int second = 0; second < 59; ++second) {
    const Decision& one = second % 2 == 0 ? down : up;
    if (filter.wants(one.proposal, at_seconds(second))) {
      CHECK(filter.admits(one, at_seconds(second)));
      ++heard;
    }
  }
  CHECK(heard == 2);
}

TEST_CASE("what nobody does, and what is held, is said more and more rarely", "[journal]") {
  Decision decision = lowered_limiter();
  const bool held = GENERATE(false, true);
  if (held) decision.verdict = {VerdictKind::kHeld, 100, "pin", "..."};
  JournalFilter filter;
  const auto said_in = [&](double from, double to) {
    int said = 0;
    for (double t = from; t < to; t += 0.5) {
      const Nanoseconds now = at_seconds(t);
      said += filter.wants(decision.proposal, now) && filter.admits(decision, now) ? 1 : 0;
    }
    return said;
  };
  CHECK(said_in(0, 60) == 1);
  CHECK(said_in(60, 24 * 3600) == 6 + 22);  // after 1, 2, 4, ... 32 minutes, then once an hour
  SECTION("anew once it was not asked for") {
    CHECK(said_in(200000, 200060) == 1);
    CHECK(said_in(200060, 200061) == 1);
  }
}

TEST_CASE("a failed change is tried again, later and later", "[journal]") {
  JournalFilter filter;
  Decision made = lowered_limiter();
  double now = 0, wait = 5;
  for (int i = 0; i < 10; ++i) {
    CHECK(filter.admits(made, at_seconds(now)));
    filter.failed(made.proposal, at_seconds(now));
    CHECK_FALSE(filter.wants(made.proposal, at_seconds(now + wait - 0.5)));
    CHECK(filter.wants(made.proposal, at_seconds(now + wait)));
    now += wait;
    wait = std::min(wait * 2, 60.0);
  }
  filter.forget(made.proposal);
  filter.failed(made.proposal, at_seconds(now));
  CHECK(filter.wants(made.proposal, at_seconds(now + 5)));
}
