// The limiter's loop where compactions have time: they are paced.
#include "tests/unit/policy/pace_bench.h"

using namespace rocktune;
using namespace rocktune::test;

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
  SECTION("but where they do not") {
    bursts.bench.objective.read_p99_seconds = 0.010;
    CHECK_FALSE(bursts.run(3).empty());
  }
  SECTION("and once they have risen") {
    written *= 1.22;
    REQUIRE(bursts.run(60).empty());
    bursts.bench.objective.read_p99_seconds = 0.010;
    CHECK_FALSE(bursts.run(10).empty());
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
