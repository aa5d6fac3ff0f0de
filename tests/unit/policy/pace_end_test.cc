// What ends a pace, and what does not; and its way back.
#include "tests/unit/policy/pace_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("pace: its way back stays open", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  const std::int64_t pace = bursts.bench.f.knobs[0].value;
  SECTION("over a restart of rocktuned") {
    bursts.bench.policy = *make_policy("headroom", {});
  }
  SECTION("though other databases were due some of it") {
    bursts.bench.set_limit(pace / 2, static_cast<double>(pace) / 2);
    bursts.run(1);
    bursts.bench.set_limit(pace, static_cast<double>(pace));
    bursts.run(1);
  }
  SECTION("though it was raised a little on the way") {
    bursts.bench.set_limit(pace + pace / 4, 1.25 * static_cast<double>(pace));
    bursts.run(1);
  }
  bursts.bench.backlog(9);
  const auto proposals = bursts.run(2);
  REQUIRE_FALSE(proposals.empty());
  CHECK(proposals.front().rule == "limiter.unpaced");
  CHECK(proposals.front().to == kUnlimitedBytesPerSecond);
}

TEST_CASE("pace: an operator's rate has no way back", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  bursts.bench.f.knobs.edit()[0].owner = KnobOwner::kManual;
  bursts.bench.f.knobs.edit()[0].found = bursts.bench.f.knobs[0].value;
  bursts.run(1);
  bursts.bench.backlog(9);
  for (const Proposal& proposal : bursts.run(10)) CHECK(proposal.rule != "limiter.unpaced");
}

TEST_CASE("pace: what others raise is no mistake of it", "[headroom][pace]") {
  Bursts bursts = paced(0.5);
  bursts.bench.set_limit(kUnlimitedBytesPerSecond, 150e6);
  bursts.bench.f.knobs.edit()[0].owner = KnobOwner::kFound;
  CHECK(bursts.run(58).empty());
  CHECK_FALSE(bursts.run(20).empty());  // rested for a minute, not for two
}

TEST_CASE("pace: a forecast alone does not end it", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  bursts.bench.backlog(2);
  bursts.bench.indicators[0].state = AlertState::kWarning;
  bursts.bench.indicators[0].calibrated = false;
  const auto proposals = bursts.run(3);
  REQUIRE_FALSE(proposals.empty());
  for (const Proposal& proposal : proposals) CHECK(proposal.rule == "limiter.backlog");
}

TEST_CASE("pace: over at once when a backlog gathers behind it", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  SECTION("a backlog that is seen") {
    bursts.bench.backlog(9);  // of 20: no warning yet
  }
  SECTION("writes that stall, whatever else is known") {
    bursts.bench.f.pending_bytes.reset();
    bursts.bench.f.stalled_ratio = 0.2;
  }
  const auto proposals = bursts.run(2);
  REQUIRE_FALSE(proposals.empty());
  CHECK(proposals.front().rule == "limiter.unpaced");
  CHECK(proposals.front().to == kUnlimitedBytesPerSecond);
  bursts.bench.set_limit(kUnlimitedBytesPerSecond, 150e6);
  bursts.bench.f.knobs.edit()[0].owner = KnobOwner::kFound;
  bursts.bench.backlog(2);
  bursts.bench.f.pending_bytes = 0;
  bursts.bench.f.stalled_ratio = 0;
  // It was too early: not again for two minutes.
  CHECK(bursts.run(118).empty());
  CHECK_FALSE(bursts.run(40).empty());
}

TEST_CASE("pace: over when compactions never pause and do not keep up", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  const auto rate = static_cast<double>(bursts.bench.f.knobs[0].value);
  // Of so much work a second is added to what waits, far below any limit; more is, and falls as a
  // compaction ends.
  const double added = GENERATE(0.0, 0.12, 0.22);
  const int compaction_seconds = GENERATE(5, 50, 100);
  CAPTURE(added, compaction_seconds);
  std::vector<Proposal> proposals;
  for (int i = 1; i < 210 && proposals.empty(); ++i) {
    bursts.bench.f.pending_bytes = (added * i + 0.3 * (i % compaction_seconds)) * rate;
    proposals = bursts.run(1);
  }
  CHECK(proposals.empty() == (added < 1.0 / 6));
  if (proposals.empty()) return;
  CHECK(proposals.front().rule == "limiter.unpaced");
  CHECK(proposals.front().to == kUnlimitedBytesPerSecond);
  CHECK(proposals.front().reason.find("wait for compaction, and ever more") != std::string::npos);
}

TEST_CASE("pace: what waits is that of all column families", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  const auto rate = static_cast<double>(bursts.bench.f.knobs[0].value);
  const bool grows = GENERATE(false, true);
  std::vector<Proposal> proposals;
  for (int i = 1; i < 200 && proposals.empty(); ++i) {
    // What one has more, the other has less; or the one that is not the worst off grows.
    const double worst = grows ? 4 : 4 + 0.02 * i;
    bursts.bench.f.pending_bytes = (worst + i % 3) * rate;
    bursts.bench.others_pending_bytes = (grows ? 0.25 * i : 4 - 0.02 * i) * rate;
    proposals = bursts.run(1);
  }
  CHECK(proposals.empty() != grows);
}

TEST_CASE("pace: debt that grows while compactions pause does not end it", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  const std::int64_t limit = bursts.bench.f.knobs[0].value;
  const auto rate = static_cast<double>(limit);
  for (int i = 0; i < 150; ++i) {
    const bool pauses = i % 25 >= 20;  // longer than a limiter's use is looked at
    bursts.bench.f.pending_bytes = (0.25 * i + i % 5) * rate;
    bursts.bench.set_limit(limit, pauses ? 0 : rate);
    CHECK(bursts.run(1).empty());
  }
}

TEST_CASE("pace: debt of an earlier pace does not end the next", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  const std::int64_t limit = bursts.bench.f.knobs[0].value;
  const auto rate = static_cast<double>(limit);
  std::vector<Proposal> back;
  for (int i = 0; i < 100 && back.empty(); ++i) {
    bursts.bench.f.pending_bytes = (0.25 * i + i % 5) * rate;
    back = bursts.run(1);
  }
  REQUIRE_FALSE(back.empty());
  bursts.bench.set_limit(kUnlimitedBytesPerSecond, 150e6);
  bursts.bench.f.knobs.edit()[0].owner = KnobOwner::kFound;
  bursts.bench.f.pending_bytes = 0;
  std::vector<Proposal> again;
  for (int i = 0; i < 300 && again.empty(); ++i) again = bursts.run(1);
  REQUIRE_FALSE(again.empty());
  CHECK(again.back().rule == "limiter.pace");
  bursts.pace(again.back(), 1.0);
  CHECK(bursts.run(50).empty());
}

TEST_CASE("pace: what is not known does not end it", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  bursts.bench.f.pending_bytes.reset();
  for (const Proposal& proposal : bursts.run(3)) CHECK(proposal.rule != "limiter.unpaced");
}

TEST_CASE("pace: the way back is all of it, however far the guard lets it go at once",
          "[headroom][pace]") {
  Bursts bursts;
  bursts.bench.f.knobs.edit()[0].found = 20'000'000;
  bursts.bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
  const auto first = bursts.run(kSettledSeconds);
  REQUIRE_FALSE(first.empty());
  bursts.pace(first.back(), 1.0);
  bursts.bench.backlog(9);
  REQUIRE_FALSE(bursts.run(1).empty());
  bursts.bench.set_limit(2 * first.back().to, 2e6 * 60);  // and not further
  bursts.bench.f.limiter_use_ratio = 1;
  const auto rest = bursts.run(1);
  REQUIRE_FALSE(rest.empty());
  CHECK(rest.front().rule == "limiter.unpaced");
  CHECK(rest.front().to == kUnlimitedBytesPerSecond);
}

TEST_CASE("pace: a backlog that does not wait for it does not end it", "[headroom][pace]") {
  Bursts bursts = paced(0.3);
  bursts.bench.backlog(9);
  CHECK(bursts.run(10).empty());
}

TEST_CASE("pace: over where it is all used nearly all of half an hour, whatever pends",
          "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  const std::int64_t limit = bursts.bench.f.knobs[0].value;
  const auto rate = static_cast<double>(limit);
  // Compactions that come and go, and a limit that is near what is needed, are not held up so.
  const char* const as = GENERATE("always", "2 of 4 s", "19 of 25 s", "needed");
  const std::string_view what = as;
  CAPTURE(as);
  if (what == "needed") bursts.bench.f.flush_bytes_per_second = 25e6;
  std::optional<Proposal> over;
  int seconds = 0;
  for (; seconds < 3600 && !over; ++seconds) {
    const bool pauses =
        (what == "2 of 4 s" && seconds % 4 >= 2) || (what == "19 of 25 s" && seconds % 25 >= 19);
    bursts.bench.set_limit(limit, pauses ? 0 : rate);
    for (const Proposal& one : bursts.run(1)) {
      if (one.rule == "limiter.unpaced") over = one;
    }
  }
  CHECK(over.has_value() == (what == "always"));
  if (!over) return;
  CHECK(seconds > 20 * 60);
  CHECK(seconds < 30 * 60);
  CHECK(over->to == kUnlimitedBytesPerSecond);
  CHECK(over->reason.find("nearly all of half an hour") != std::string::npos);
}
