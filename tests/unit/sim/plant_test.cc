#include "sim/plant.h"

#include <cmath>

#include "sim/host.h"
#include "sim/random.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

// Without luck.
Laws steady_laws() {
  Laws laws;
  laws.job_spread = 0;
  return laws;
}

double tree_bytes(const Plant& plant) {
  double bytes = 0;
  for (std::size_t i = 0; i < plant.families(); ++i) {
    for (std::size_t level = 0; level < plant.tree(i).levels(); ++level) {
      bytes += plant.tree(i).level_bytes(level);
    }
  }
  return bytes;
}

Plant run(const PlantOptions& options, const Laws& laws, double writes_per_second, double seconds,
          std::uint64_t seed = 0) {
  Host host = test::alone(Plant(options, laws, seed), writes_per_second);
  host.advance(seconds);
  return host.plant(0);
}

void ask(Host& host, double writes_per_second) {
  Arrivals arrivals;
  arrivals.writes_per_second = writes_per_second;
  host.plant(0).set_arrivals(arrivals);
}

TEST_CASE("an application that catches up gets what it asked for, and no more") {
  PlantOptions options;
  Plant plant(options, Laws(), 3);
  Host host({8, DeviceLaws{{200e6, 20e3}, {100e6, 10e3}, 0.6, 80e-6}}, {std::move(plant)});
  Arrivals asked;
  asked.one_queue = asked.catches_up = true;
  asked.threads = 16;
  double expected = 0;
  for (int i = 0; i < 400; ++i) {
    const bool burst = i % 40 < 10;
    asked.reads_per_second = burst ? 3000 : 1500;
    asked.writes_per_second = burst ? 60000 : 50;
    expected += (asked.reads_per_second + asked.writes_per_second) * 0.5;
    host.plant(0).set_arrivals(asked);
    host.advance(0.5);
  }
  const Totals& totals = host.plant(0).totals();
  CHECK(totals.keys_read + totals.keys_written + host.plant(0).backlog() ==
        Approx(expected).epsilon(1e-6));
}

TEST_CASE("writers lose time to delays, not to the reads of their threads") {
  PlantOptions options;
  options.families[0].limits.l0_slowdown_files = 1;  // delayed all of the time, to far above this
  Laws laws = steady_laws();
  laws.reads.miss_ratio = 1;
  Plant plant(options, laws, 0);
  FamilyState state;
  state.level_bytes.assign(4, 0);
  state.l0_files = 3;
  state.level_bytes[0] = 3.0 * options.families[0].write_buffer_bytes;
  plant.restore({&state, 1}, 0);
  Host host({8, DeviceLaws{{2e6, 2e3}, {100e6, 10e3}, 0.6, 10e-3}}, {std::move(plant)});
  Arrivals asked;
  asked.one_queue = true;
  asked.reads_per_second = asked.writes_per_second = 2000;
  host.plant(0).set_arrivals(asked);
  host.advance(20);
  const Totals& totals = host.plant(0).totals();
  CHECK(totals.delayed_seconds == Approx(20));
  CHECK(totals.keys_written < 0.8 * 2000 * 20);  // their threads wait for reads
  CHECK(totals.writers_seconds < 0.1);
}

TEST_CASE("what is asked for is done while the tree keeps up") {
  const Plant plant = run({}, steady_laws(), 5000, 600);
  CHECK(plant.totals().seconds == Approx(600));
  CHECK(plant.totals().keys_written == Approx(3e6));
  CHECK(plant.totals().user_bytes_written == Approx(3e9));
  CHECK(plant.totals().delayed_seconds + plant.totals().stopped_seconds == 0);
  // 3 GB in memtables of 58.4 MB.
  CHECK(plant.family_totals(0).flushes == 51);
  CHECK(plant.family_totals(0).l0_compactions > 5);
}

TEST_CASE("more than compaction carries is delayed, and what gets through is what it carries") {
  const Plant plant = run({}, steady_laws(), 60000, 3600);
  CHECK(plant.totals().delayed_seconds > 600);
  const double per_second = plant.totals().keys_written / 3600;
  CHECK(per_second < 45000);
  CHECK(per_second > 2000);
  // L0 stops at its limit, but for memtables that were full by then.
  CHECK(plant.tree(0).l0_files() <= 38);
}

TEST_CASE("a second thread carries more") {
  PlantOptions more;
  more.max_background_jobs = 4;
  const double one = run({}, steady_laws(), 60000, 1800).totals().keys_written;
  const double three = run(more, steady_laws(), 60000, 1800).totals().keys_written;
  CHECK(three > 1.2 * one);
}

TEST_CASE("slow flushes stop writes by their memtables") {
  Laws laws = steady_laws();
  laws.flush_bytes_per_second = 10e6;
  const Plant plant = run({}, laws, 30000, 120);
  CHECK(plant.totals().stopped_seconds > 30);
  // What is flushed decides what is written: 10 MB/s, and what the memtables hold.
  CHECK(plant.totals().user_bytes_written == Approx(10e6 * 120).epsilon(0.2));
}

TEST_CASE("the rate limit bounds what is written in the background") {
  PlantOptions limited;
  limited.rate_limit = 20e6;
  const Plant plant = run(limited, steady_laws(), 30000, 600);
  const Totals& totals = plant.totals();
  CHECK(totals.flush_bytes_written + totals.compaction_bytes_written <= 20e6 * 600 * 1.000001);
  CHECK(totals.flush_bytes_written + totals.compaction_bytes_written > 20e6 * 600 * 0.8);
}

TEST_CASE("no byte is lost between memtables and tree", "[property]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    Random random(seed, 7);
    PlantOptions options;
    options.max_background_jobs = 1 + static_cast<std::int64_t>(random.next() % 8);
    options.max_subcompactions = 1 + static_cast<std::int64_t>(random.next() % 4);
    options.rate_limit = random.uniform() < 0.5 ? 0 : 5e6 + 100e6 * random.uniform();
    options.families.resize(1 + random.next() % 3);
    for (FamilyOptions& family : options.families) {
      family.write_buffer_bytes = (1 + 63 * random.uniform()) * test::kMega;
      family.limits.write_buffers = 2 + static_cast<std::int64_t>(random.next() % 5);
      family.tree.shape.dynamic_level_bytes = random.uniform() < 0.5;
    }
    Laws laws;
    laws.job_spread = 0.3;
    laws.flush_bytes_per_second = 5e6 + 200e6 * random.uniform();
    laws.l0_bytes_per_second = laws.deep_bytes_per_second = 5e6 + 200e6 * random.uniform();
    Host host = test::alone(Plant(options, laws, seed), 0);
    for (int phase = 0; phase < 20; ++phase) {
      ask(host, 100000 * random.uniform());
      host.advance(20 * random.uniform());
    }
    const Plant& plant = host.plant(0);
    double unflushed = 0;
    for (std::size_t i = 0; i < plant.families(); ++i) unflushed += plant.active_bytes(i);
    const Totals& totals = plant.totals();
    const double in_files = tree_bytes(plant);
    // What is neither in files nor in active memtables is in immutable ones: a whole number of
    // memtables for each family at most.
    const double waiting = totals.user_bytes_written - unflushed - in_files;
    double most = 0;
    for (std::size_t i = 0; i < plant.families(); ++i) {
      most += static_cast<double>(plant.immutable_memtables(i)) *
              options.families[i].write_buffer_bytes;
    }
    CHECK(waiting >= -1e-6 * totals.user_bytes_written - 100);
    CHECK(waiting <= most + 100);
    CHECK(totals.flush_bytes_written >= in_files - 1e-6 * in_files - 100);
    CHECK(totals.delayed_seconds + totals.stopped_seconds <= totals.seconds * 1.000001);
  }
}

TEST_CASE("the same seed gives the same run, another one another") {
  Laws laws;
  laws.job_spread = 0.2;
  const auto keys = [&](std::uint64_t seed) {
    return run({}, laws, 50000, 900, seed).totals().keys_written;
  };
  CHECK(keys(1) == keys(1));
  CHECK(keys(1) != keys(2));
}

TEST_CASE("looking more often changes nothing") {
  Host looked_at = test::alone(Plant({}, steady_laws(), 0), 50000);
  for (int i = 0; i < 1200; ++i) looked_at.advance(0.5);
  const Plant& often = looked_at.plant(0);
  const Plant once = run({}, steady_laws(), 50000, 600);
  CHECK(often.totals().keys_written == Approx(once.totals().keys_written).epsilon(1e-6));
  CHECK(often.tree(0).l0_files() == once.tree(0).l0_files());
}

TEST_CASE("a copy goes its own way from where it was made") {
  Host host = test::alone(Plant({}, steady_laws(), 0), 5000);
  host.advance(100);
  Host other = host;
  ask(other, 0);
  other.advance(100);
  host.advance(100);
  CHECK(other.plant(0).totals().keys_written == Approx(0.5e6));
  CHECK(host.plant(0).totals().keys_written > 0.9e6);
}

TEST_CASE("a run goes on from a recorded state") {
  Host host = test::alone(Plant({}, steady_laws(), 0), 0);
  Plant& plant = host.plant(0);
  const std::vector<FamilyState> states = {
      {{640 * test::kMega, 200 * test::kMega, 2000 * test::kMega, 0, 0, 0, 0},
       10,
       1,
       5 * test::kMega}};
  plant.restore(states, 0);
  CHECK(plant.tree(0).l0_files() == 10);
  CHECK(plant.immutable_memtables(0) == 1);
  CHECK(plant.running_flushes() == 1);
  REQUIRE(plant.running_compactions().size() == 1);
  CHECK(plant.running_compactions()[0].what.kind == CompactionKind::kL0);
  host.advance(30);
  CHECK(plant.tree(0).l0_files() == 1);
}

TEST_CASE("options act at once") {
  Host host = test::alone(Plant({}, steady_laws(), 0), 40000);
  host.advance(300);
  Plant& plant = host.plant(0);
  PlantOptions wider = plant.options();
  wider.families[0].limits.l0_slowdown_files = 2000;
  wider.families[0].limits.l0_stop_files = 3000;
  wider.families[0].limits.soft_pending_bytes = wider.families[0].limits.hard_pending_bytes = 0;
  plant.set_options(wider);
  const double stalled = plant.totals().delayed_seconds + plant.totals().stopped_seconds;
  host.advance(300);
  CHECK(plant.totals().delayed_seconds + plant.totals().stopped_seconds == stalled);
}

TEST_CASE("absurd options take no longer than others") {
  PlantOptions options;
  options.families[0].write_buffer_bytes = 1;
  options.families[0].tree.target_file_bytes = 1;
  options.max_subcompactions = std::int64_t{1} << 40;
  options.max_background_jobs = 1 << 20;
  Laws laws;
  laws.bytes_per_write = 1e18;
  const Plant plant = run(options, laws, 1e12, 2);
  CHECK(plant.totals().seconds == Approx(2));
  CHECK(std::isfinite(plant.totals().user_bytes_written));
}

}  // namespace
}  // namespace rocktune::sim
