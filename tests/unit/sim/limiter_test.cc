// How the plant's jobs share a rate limiter: RocksDB's own, and the agent's.
#include <algorithm>

#include "sim/host.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

// One compaction out of level 0 and one deeper down, both of which would write more than the limit.
PlantOptions limited(double rate, std::int64_t l0_weight) {
  PlantOptions options;
  options.max_background_jobs = 3;  // two compactions at a time
  options.rate_limit = rate;
  options.limit_flushes = l0_weight == 0;
  options.l0_weight = l0_weight;
  return options;
}

Host with_two_compactions(const PlantOptions& options, double writes_per_second = 0) {
  Laws laws;
  laws.job_spread = 0;
  Plant plant(options, laws, 0);
  FamilyState state;
  state.level_bytes = {12 * 64e6, 100e6, 6e9, 30e9, 0, 0, 0};
  state.l0_files = 12;
  plant.restore(std::span(&state, 1), 0);
  return test::alone(std::move(plant), writes_per_second);
}

struct Progress {
  double l0 = 0, deep = 0;
};

Progress progress(const Host& host) {
  Progress sum;
  for (const RunningCompaction& one : host.plant(0).running_compactions()) {
    (one.what.level == 0 ? sum.l0 : sum.deep) += one.what.input_bytes() - one.left;
  }
  return sum;
}

TEST_CASE("RocksDB's limiter gives all compactions alike") {
  Host host = with_two_compactions(limited(10e6, 0));
  host.advance(5);
  REQUIRE(host.plant(0).running_compactions().size() == 2);
  CHECK(progress(host).l0 == Approx(progress(host).deep).epsilon(0.01));
}

TEST_CASE("the agent's limiter gives level 0 its weight, and all of the rate to somebody") {
  Host host = with_two_compactions(limited(10e6, 4));
  host.advance(5);
  REQUIRE(host.plant(0).running_compactions().size() == 2);
  const Progress came = progress(host);
  CHECK(came.l0 == Approx(4 * came.deep).epsilon(0.01));
  CHECK(came.l0 + came.deep == Approx(5 * 10e6).epsilon(0.01));
}

TEST_CASE("what one compaction does not need of its share the other one gets") {
  // Of 80 MB/s level 0 would have 64, and does 60; what its weight leaves the other is more then.
  Host host = with_two_compactions(limited(80e6, 4));
  host.advance(2);
  const Progress came = progress(host);
  CHECK(came.l0 == Approx(2 * 60e6).epsilon(0.01));
  CHECK(came.deep == Approx(2 * 20e6).epsilon(0.01));
}

TEST_CASE(
    "flushes pass the agent's limiter, and compactions give way by half of the rate at most") {
  const double writes = 60'000;  // of 1,000 bytes
  Host own = with_two_compactions(limited(10e6, 4), writes);
  Host rocksdbs = with_two_compactions(limited(10e6, 0), writes);
  own.advance(3);
  rocksdbs.advance(3);
  // As they come, but for the last memtable.
  CHECK(own.plant(0).totals().flush_bytes_written > 2 * 58e6);
  CHECK(rocksdbs.plant(0).totals().flush_bytes_written < 3 * 10e6);
  // A second at all of the rate before the first flush, then at half of it.
  CHECK(own.plant(0).totals().compaction_bytes_written >= 3 * 5e6 * 0.99);
  CHECK(own.plant(0).totals().compaction_bytes_written <= 2 * 5e6 + 10e6 + 1e6);
}

TEST_CASE("reads wait behind the bursts of a limiter, not behind whole writes") {
  const auto read_wait = [](double rate) {
    PlantOptions options = limited(rate, 4);
    Laws laws;
    laws.reads.miss_ratio = 1;
    Plant plant(options, laws, 0);
    FamilyState state;
    state.level_bytes = {0, 100e6, 6e9, 30e9, 0, 0, 0};
    plant.restore(std::span(&state, 1), 0);
    Host host({8, DeviceLaws{{200e6, 20e3}, {100e6, 10e3}, 0, 80e-6}}, {std::move(plant)});
    Arrivals asked;
    asked.reads_per_second = 500;
    host.plant(0).set_arrivals(asked);
    host.advance(10);
    return host.plant(0).read_latency().served.quantile_seconds(0.99);
  };
  // 128 KiB at a time instead of 1 MiB.
  CHECK(read_wait(128 * 1024 * 20.0) < read_wait(1e9) / 3);
}

}  // namespace
}  // namespace rocktune::sim
