// The limiter's loop where compactions have time: they are paced, and no longer once they have not.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// A compaction for four of every ten seconds, at 150 MB/s; reads take 3 ms meanwhile. 30 MB/s would
// do: 10 MB/s are written, three times.
class Bursts {
 public:
  Bursts() {
    bench.objective.read_p99_seconds = 0.010;
    bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
    bench.f.wal_bytes_per_second = 10e6;
  }
  // Another database on the device writes so much; 0: it is there, and writes nothing.
  void beside(double others_write) {
    bench.f.shared = SharedBudget{};
    bench.f.shared->device_members = 2;
    others_bytes_per_second = others_write;
  }
  // The proposals for the limiter in that time.
  std::vector<Proposal> run(double seconds) {
    std::vector<Proposal> out;
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      const bool works = ++step_ % 20 < 8 && compacts;
      bench.f.running_compactions = works ? 1 : 0;
      bench.f.compaction_write_bytes_per_second = works ? 50e6 : 0;
      bench.f.read_p99_us = works ? beside_us : without_us;
      bench.f.write_p99_us = works && writes_too ? beside_us : without_us;
      bench.f.writes_per_second = writes_per_second;
      bench.f.device_write_bytes_per_second = 20e6 + (works ? 50e6 : 0) + others_bytes_per_second;
      if (bench.f.knobs[0].value >= kUnlimitedBytesPerSecond) {
        bench.f.limiter_bytes_per_second = works ? 150e6 : 5e6;
      }
      for (const Proposal& proposal : bench.tick()) {
        if (proposal.knob == knob::kRateLimit) out.push_back(proposal);
      }
    }
    return out;
  }
  void pace(const Proposal& proposal, double used) {
    bench.set_limit(proposal.to, used * static_cast<double>(proposal.to));
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
  }

  HeadroomBench bench;
  double beside_us = 3000, without_us = 500, others_bytes_per_second = 0;
  double writes_per_second = 2000;
  bool compacts = true, writes_too = false;

 private:
  int step_ = 0;
};

// Until what writes cost is known, and a little: the last proposal is by that.
constexpr double kSettledSeconds = 45;

Bursts paced(double used) {
  Bursts bursts;
  const auto proposals = bursts.run(kSettledSeconds);
  REQUIRE_FALSE(proposals.empty());
  bursts.pace(proposals.back(), used);
  CHECK(bursts.run(1).empty());
  return bursts;
}

}  // namespace

TEST_CASE("pace: compactions that come in bursts are spread over the time", "[headroom][pace]") {
  Bursts bursts;
  const auto proposals = bursts.run(kSettledSeconds);
  REQUIRE_FALSE(proposals.empty());
  const Proposal& proposal = proposals.back();
  CHECK(proposal.rule == "limiter.pace");
  // Twice the need, by what was seen so far of it: 10 MB/s three to four times.
  CHECK(proposal.to >= 2 * 30'000'000);
  CHECK(proposal.to <= 2 * 37'000'000);
  CHECK(proposal.expected.feature == "read_p99_us");
  // Of bursts and pauses together.
  CHECK(proposal.expected.baseline > 500);
  CHECK(proposal.expected.baseline < 3000);
  bursts.pace(proposal, 0.5);
  CHECK(bursts.run(600).empty());
}

TEST_CASE("pace: where writes come first it is by what they take beside compactions",
          "[headroom][pace]") {
  Bursts bursts;
  bursts.bench.objective.first = Priority::kWriteP99;
  bursts.bench.objective.write_p99_seconds = 0.010;
  bool paced = true;
  SECTION("longer than without them") {
    bursts.writes_too = true;
  }
  SECTION("as long: what reads take is not what comes first") {
    paced = false;
  }
  SECTION("longer, but hardly anybody writes") {
    bursts.writes_too = true;
    bursts.writes_per_second = 3;
    paced = false;
  }
  const auto proposals = bursts.run(kSettledSeconds);
  REQUIRE(proposals.empty() == !paced);
  if (!paced) return;
  const Proposal& proposal = proposals.back();
  CHECK(proposal.rule == "limiter.pace");
  CHECK(proposal.to >= 2 * 30'000'000);
  CHECK(proposal.expected.feature == "write_p99_us");
  CHECK(proposal.reason.starts_with("write P99 is 3 ms while compactions run"));
}

TEST_CASE("pace: not while writes rise", "[headroom][pace]") {
  Bursts bursts;
  bursts.bench.objective.read_p99_seconds = 0.1;  // as fast as is asked for
  REQUIRE(bursts.run(kSettledSeconds).empty());
  double& written = *bursts.bench.f.user_write_bytes_per_second;
  SECTION("at once") {
    written *= 2;
    REQUIRE(bursts.run(3).empty());
    bursts.bench.objective.read_p99_seconds = 0.010;
    CHECK(bursts.run(8).empty());
  }
  SECTION("over a while") {
    written *= 1.22;
    REQUIRE(bursts.run(10).empty());
    bursts.bench.objective.read_p99_seconds = 0.010;
    CHECK(bursts.run(2).empty());
  }
  SECTION("but once they do not") {
    bursts.bench.objective.read_p99_seconds = 0.010;
    CHECK_FALSE(bursts.run(3).empty());
  }
}

TEST_CASE("pace: what seemed needed before anybody could know is forgotten", "[headroom][pace]") {
  Bursts bursts;
  bursts.bench.f.compaction_write_bytes_per_second = 150e6;  // one compaction, as it is seen first
  bursts.bench.tick();
  CHECK_FALSE(bursts.run(kSettledSeconds).empty());
}

TEST_CASE("pace: not without a reason", "[headroom][pace]") {
  Bursts bursts;
  SECTION("reads do not come first") {
    bursts.bench.objective.first = Priority::kThroughput;
  }
  SECTION("compactions hardly slow them") {
    bursts.without_us = 2500;
  }
  SECTION("they are fast enough all the same") {
    bursts.bench.objective.read_p99_seconds = 0.100;
  }
  SECTION("level 0 is not far from its limit") {
    bursts.bench.backlog(9);
  }
  SECTION("nothing is written") {
    bursts.bench.f.user_write_bytes_per_second = 0;
  }
  CHECK(bursts.run(120).empty());
}

TEST_CASE("pace: a compaction beside others' work is spread from its beginning",
          "[headroom][pace]") {
  Bursts bursts;
  bursts.beside_us = bursts.without_us = 3000;  // by what others write
  bursts.beside(100e6);
  bursts.compacts = false;
  CHECK(bursts.run(39).empty());  // what writes cost is known after 30 s
  bursts.compacts = true;         // from 40 s on
  SECTION("where it can be") {
    const auto proposals = bursts.run(2);
    REQUIRE_FALSE(proposals.empty());
    CHECK(proposals.front().rule == "limiter.pace");
    CHECK(proposals.front().expected.feature == "stalled_ratio");
    CHECK(proposals.front().reason.find("beside what others write") != std::string::npos);
  }
  SECTION("not where reads are fast all the same") {
    bursts.beside_us = bursts.without_us = 900;
    CHECK(bursts.run(5).empty());
  }
}

TEST_CASE("pace: a neighbour that writes nothing is no reason", "[headroom][pace]") {
  Bursts bursts;
  bursts.beside_us = bursts.without_us = 3000;
  bursts.beside(0);
  SECTION("in any way") {
    CHECK(bursts.run(100).empty());
  }
  SECTION("though flushes are counted as they end") {
    for (int i = 0; i < 100; ++i) {
      bursts.bench.f.flush_bytes_per_second = i % 4 == 3 ? 40e6 : 0;
      CHECK(bursts.run(0.5).empty());
      CHECK(bursts.run(0.5).empty());
    }
  }
  SECTION("though statistics are missing for a moment") {
    bursts.run(40.5);
    bursts.bench.f.flush_bytes_per_second.reset();
    CHECK(bursts.run(0.5).empty());
    bursts.bench.f.flush_bytes_per_second = 10e6;
    bursts.others_bytes_per_second = 100e6;  // what the kernel writes late
    CHECK(bursts.run(0.5).empty());
    bursts.others_bytes_per_second = 0;
    CHECK(bursts.run(20).empty());
  }
}

TEST_CASE("pace: before it is known what writes cost to a quarter at least", "[headroom][pace]") {
  Bursts bursts;
  bursts.bench.f.user_write_bytes_per_second = 1e5;  // hardly anything, as far as is known
  bursts.bench.f.flush_bytes_per_second = 1e5;
  SECTION("beside others' work") {
    bursts.beside_us = bursts.without_us = 3000;
    bursts.beside(100e6);
    const auto proposals = bursts.run(25);
    REQUIRE_FALSE(proposals.empty());
    CHECK(proposals.back().rule == "limiter.pace");
    CHECK(proposals.back().to == 37'500'000);
  }
  SECTION("also for what its own were seen to do") {
    const auto proposals = bursts.run(25);
    REQUIRE_FALSE(proposals.empty());
    CHECK(proposals.back().to == 37'500'000);
  }
}

TEST_CASE("pace: a tree that grows has not shown yet what writes cost", "[headroom][pace]") {
  Bursts bursts;
  ColumnFamilyReading family;
  family.name = "default";
  family.leveled_compaction = 1;
  family.max_bytes_for_level_base_bytes = 256'000'000;
  family.levels = {{2, 30'000'000}, {3, 100'000'000}, {0, 0}};
  bursts.bench.f.column_families = {family};
  // At 10 MB/s times five, and twice that, bursts of 150 MB/s are not halved.
  CHECK(bursts.run(kSettledSeconds).empty());
  SECTION("once the level below level 0 hands on, it has") {
    bursts.bench.f.column_families[0].levels[1].bytes = 250'000'000;
    CHECK_FALSE(bursts.run(30).empty());
  }
  SECTION("where little is written it may cost five times as much") {
    bursts.bench.f.wal_bytes_per_second = 5e6;
    bursts.bench.f.user_write_bytes_per_second = 5e6;
    const auto proposals = bursts.run(90);
    REQUIRE_FALSE(proposals.empty());
    CHECK(proposals.back().to >= 2 * 25'000'000);
  }
}

TEST_CASE("pace: what was seen before others wrote more is no reason later", "[headroom][pace]") {
  Bursts bursts;
  bursts.run(25);
  bursts.beside_us = 900;  // fast enough beside others' work: only what was seen before speaks
  bursts.beside(130e6);
  CHECK_FALSE(bursts.run(20).empty());
  bursts.run(15);
  CHECK(bursts.run(60).empty());
}

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

TEST_CASE("pace: what waits is compared with the same column family's", "[headroom][pace]") {
  Bursts bursts = paced(1.0);
  const auto rate = static_cast<double>(bursts.bench.f.knobs[0].value);
  for (int i = 1; i < 200; ++i) {
    const bool other = i % 100 >= 50;  // has the larger debt
    bursts.bench.f.pending_column_family = other ? "index" : "default";
    bursts.bench.f.pending_bytes = ((other ? 40 : 10) + i % 10) * rate;
    CHECK(bursts.run(1).empty());
  }
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
