// The four bands of io_load_listener.go, and what it takes to make RocksDB admit as much.
#include "tests/unit/policy/peers/peer_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::int64_t kFoundRate = 16 << 20;

class CockroachBench : public PeerBench {
 public:
  CockroachBench() : PeerBench("cockroach-l0") {
    knob(knob::kDelayedWriteRate, kFoundRate);
    knob(knob::kL0Slowdown, 20, "default");
    tick();  // begins
  }
  // Intervals in which level 0 keeps so many files and bytes: what is flushed leaves it again.
  void intervals(int n, std::uint64_t files, double flushed_per_second) {
    level0(files, 100'000'000);
    f.flush_bytes_per_second = flushed_per_second;
    run(15.0 * n);
  }
  [[nodiscard]] std::int64_t rate() const { return value(knob::kDelayedWriteRate); }
  [[nodiscard]] std::int64_t trigger() const { return value(knob::kL0Slowdown, "default"); }
};

}  // namespace

TEST_CASE("cockroach: below a quarter of 20 files all is admitted", "[peers]") {
  CockroachBench bench;
  bench.intervals(10, 4, 20e6);
  CHECK(bench.rate() == kFoundRate);
  CHECK(bench.trigger() == 20);
}

TEST_CASE("cockroach: from 2C at 5 files to C at 10, to C/2 at 20 and above", "[peers]") {
  struct Band {
    std::uint64_t files;
    double share;
  };
  // The tokens come near their share by halves: after 30 intervals they are there.
  for (const Band& band : {Band{5, 2}, {7, 1.6}, {10, 1}, {15, 0.75}, {20, 0.5}, {36, 0.5}}) {
    CAPTURE(band.files);
    CockroachBench bench;
    bench.intervals(30, 0, 20e6);
    bench.intervals(30, band.files, 20e6);
    CHECK(std::abs(static_cast<double>(bench.rate()) - band.share * 20e6) < 1e3);
    CHECK(bench.trigger() == 5);
  }
}

TEST_CASE("cockroach: at low load at least level 0's even part of all compactions", "[peers]") {
  CockroachBench bench;
  auto& levels = bench.f.column_families[0].levels;
  levels.assign(7, {0, 0});
  levels[2] = {10, 1'000'000'000};
  bench.f.compaction_write_bytes_per_second = 60e6;
  SECTION("while its own have no turn") {
    bench.intervals(30, 7, 0);
    CHECK(std::abs(static_cast<double>(bench.rate()) - 60e6 / 5) < 1e3);
  }
  SECTION("not with more files") {
    bench.intervals(30, 10, 0);
    CHECK(bench.rate() == 0);
  }
  SECTION("with data in no level below, all of it") {
    levels[2] = {0, 0};
    bench.intervals(30, 7, 0);
    CHECK(std::abs(static_cast<double>(bench.rate()) - 60e6) < 1e3);
  }
}

TEST_CASE("cockroach: C and the tokens are smoothed by halves, every 15 s", "[peers]") {
  CockroachBench bench;
  bench.level0(20, 0);
  bench.f.flush_bytes_per_second = 20e6;  // and leaves level 0 again: C is 300 MB an interval
  CHECK(bench.run(14.5).empty());
  const auto first = bench.run(0.5);
  REQUIRE(first.size() == 2);
  CHECK(first[0].rule == "cockroach.tokens");
  CHECK(first[1].rule == "cockroach.trigger");
  CHECK(bench.rate() == 10'000'000);
  bench.f.flush_bytes_per_second = 40e6;
  bench.run(15);
  // C = half of 300 + 600 MB; tokens = half of (its half and the 150 MB of before)
  CHECK(bench.rate() == (225'000'000 + 150'000'000) / 2 / 15);
}

TEST_CASE("cockroach: what level 0 gains was not compacted out of it", "[peers]") {
  CockroachBench bench;
  bench.level0(20, 300'000'000);  // all that is flushed in the interval
  bench.f.flush_bytes_per_second = 20e6;
  bench.run(15);
  CHECK(bench.rate() == 0);  // the guard's range keeps the least that RocksDB takes
}

TEST_CASE("cockroach: returned to what was found when level 0 is small again", "[peers]") {
  CockroachBench bench;
  bench.intervals(4, 20, 20e6);
  REQUIRE(bench.trigger() == 5);
  bench.intervals(1, 2, 20e6);
  CHECK(bench.rate() == kFoundRate);
  CHECK(bench.trigger() == 20);
}

TEST_CASE("cockroach: the fullest column family decides, all of them give bytes", "[peers]") {
  CockroachBench bench;
  ColumnFamilyReading other = bench.f.column_families[0];
  other.name = "other";
  other.levels[0] = {20, 0};
  bench.f.column_families.push_back(other);
  bench.f.flush_bytes_per_second = 20e6;
  bench.run(15);  // one family more than at the last tick, of no bytes
  CHECK(bench.rate() == 10'000'000);
}

TEST_CASE("cockroach: what was not read moves nothing; another database begins anew", "[peers]") {
  CockroachBench bench;
  bench.level0(20, 0);
  bench.run(60);
  bench.f.flush_bytes_per_second.reset();
  CHECK(bench.run(60).empty());
  bench.f.flush_bytes_per_second = 20e6;
  bench.f.column_families[0].levels.clear();
  CHECK(bench.run(60).empty());
  bench.level0(20, 0);
  bench.f.fresh = false;
  CHECK(bench.run(60).empty());
  bench.f.fresh = true;
  bench.f.reset = true;
  CHECK(bench.run(15).empty());
  CHECK(bench.run(0.5).size() == 1);
  CHECK(bench.rate() == 10'000'000);  // nothing is left of the intervals without flushes
}
