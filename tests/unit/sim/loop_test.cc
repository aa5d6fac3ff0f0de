#include "sim/loop.h"

#include <tuple>

#include "model/knobs.h"
#include "sim/knobs.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

// A machine whose compactions do not keep up with one background slot; with more they do.
Host narrow_host(double writes_per_second) {
  PlantOptions options;
  options.families[0].write_buffer_bytes = 8 * test::kMega;
  options.families[0].tree.shape.max_bytes_for_level_base = 32u << 20;
  options.families[0].tree.target_file_bytes = 8 * test::kMega;
  Laws laws;
  laws.reads.miss_ratio = 0.1;
  Plant plant(options, laws, 1);
  Arrivals arrivals;
  arrivals.reads_per_second = 2000;
  arrivals.writes_per_second = writes_per_second;
  plant.set_arrivals(arrivals);
  return {{8, DeviceLaws{{1e9, 200e3}, {500e6, 100e3}, 0.6, 80e-6}}, {std::move(plant)}};
}

LoopFigures tuned_run(const std::string& policy, double writes_per_second, double seconds) {
  EngineConfig config;
  config.policy = policy;
  config.budget.jobs_max = 8;
  auto loop = ClosedLoop::create(narrow_host(writes_per_second), {config});
  REQUIRE(loop);
  loop->run(seconds);
  return loop->figures(0);
}

TEST_CASE("without a policy nothing moves") {
  const LoopFigures figures = tuned_run("static", 30000, 300);
  CHECK(figures.seconds == Approx(300));
  CHECK(figures.movements.empty());
  CHECK(figures.stalled_seconds > 60);
  CHECK(figures.write_amplification > 2);
}

TEST_CASE("headroom ends stalls that more jobs can end") {
  const LoopFigures still = tuned_run("static", 30000, 600);
  const LoopFigures tuned = tuned_run("headroom", 30000, 600);
  CHECK(tuned.stalled_seconds < 0.5 * still.stalled_seconds);
  CHECK(tuned.operations > 1.05 * still.operations);
  CHECK(tuned.movements.contains("max_background_jobs"));
}

TEST_CASE("a healthy database is left alone") {
  const LoopFigures figures = tuned_run("headroom", 500, 600);
  CHECK(figures.stalled_seconds == 0);
  std::uint64_t changes = 0;
  for (const auto& [knob, count] : figures.movements) changes += count;
  CHECK(changes <= 2);
}

// Seconds of these above an SLO of 1 ms, of so few reads that all wait for the device.
double seconds_above_slo(double reads_per_second, double device_read_seconds) {
  Laws laws;
  laws.reads.miss_ratio = 1;
  Plant plant({}, laws, 1);
  Arrivals arrivals;
  arrivals.reads_per_second = reads_per_second;
  plant.set_arrivals(arrivals);
  Host host({8, DeviceLaws{{1e9, 200e3}, {500e6, 100e3}, 0.6, device_read_seconds}},
            {std::move(plant)});
  EngineConfig config;
  config.policy = "static";
  config.objective.read_p99_seconds = 1e-3;
  auto loop = ClosedLoop::create(std::move(host), {config});
  REQUIRE(loop);
  loop->run(60);
  return loop->figures(0).seconds_above_slo;
}

TEST_CASE("a second counts as above the SLO however few operations it has") {
  CHECK(seconds_above_slo(1000, 5e-3) == 60);
  CHECK(seconds_above_slo(10, 5e-3) == 60);
  CHECK(seconds_above_slo(1, 5e-3) == 60);
  CHECK(seconds_above_slo(0, 5e-3) == 0);
  CHECK(seconds_above_slo(1000, 0.1e-3) == 0);
  // Of a hundred the slowest tells, of one itself: it is hardly ever the slowest of a hundred.
  CHECK(seconds_above_slo(100, 0.9e-3) == 60);
  CHECK(seconds_above_slo(1, 0.9e-3) == 0);
}

auto every_figure(const LoopFigures& f) {
  return std::tie(f.seconds, f.operations, f.reads_p99_seconds, f.writes_p99_seconds,
                  f.seconds_above_slo, f.stalled_seconds, f.writers_seconds, f.write_amplification,
                  f.pending_bytes, f.pending_bytes_most, f.l0_files_most, f.movements, f.verdicts);
}

TEST_CASE("the same run twice is the same in every figure") {
  const LoopFigures one = tuned_run("headroom", 30000, 120);
  const LoopFigures other = tuned_run("headroom", 30000, 120);
  CHECK((every_figure(one) == every_figure(other)));
}

TEST_CASE("a policy that is not there is an error, and so is an engine too few") {
  EngineConfig config;
  config.policy = "none-such";
  CHECK_FALSE(ClosedLoop::create(narrow_host(100), {config}));
  CHECK_FALSE(ClosedLoop::create(narrow_host(100), {}));
}

TEST_CASE("every knob that is told can be set, and is told then") {
  PlantOptions found;
  found.families.resize(2);
  PlantOptions now = found;
  const auto readings = read_knobs(now, found);
  CHECK(readings.size() > 20);
  for (const KnobReading& knob : readings) {
    INFO(knob.name << " " << knob.column_family);
    std::int64_t value = knob.name == knob::kLimitFlushes ? 0 : knob.min + 3;
    if (value == knob.found) ++value;
    REQUIRE(set_knob(now, knob.name, knob.column_family, value));
    bool seen = false;
    for (const KnobReading& again : read_knobs(now, found)) {
      if (again.name != knob.name || again.column_family != knob.column_family) continue;
      seen = true;
      CHECK(again.value == value);
      CHECK(again.found == knob.found);
      CHECK(again.owner == KnobOwner::kRocktune);
    }
    CHECK(seen);
  }
  CHECK_FALSE(set_knob(now, "no_such_knob", "", 1));
  CHECK_FALSE(set_knob(now, knob::kWriteBuffers, "no-such-family", 4));
}

TEST_CASE("a sample tells the plant's state, and rises") {
  Host host = narrow_host(5000);
  Sampler sampler(host, 0);
  host.advance(10);
  const Sample first = sampler.next(host);
  host.advance(0.5);
  const Sample second = sampler.next(host);
  CHECK(second.sequence == first.sequence + 1);
  CHECK(second.at.tick - first.at.tick == std::chrono::milliseconds(500));
  CHECK(second.incarnation == first.incarnation);
  REQUIRE(second.database);
  CHECK(*second.database->keys_written == 52500);
  CHECK(*first.database->keys_read == 20000);
  REQUIRE(second.device);
  CHECK(*second.device->read_ios > *first.device->read_ios);
  REQUIRE(second.host);
  CHECK(second.host->cpus == 8);
}

TEST_CASE("a sample tells a grown cache's size, and what is in it") {
  Host host = narrow_host(100);
  Sampler sampler(host, 0);
  PlantOptions grown = host.plant(0).options();
  const double before = grown.cache_bytes;
  grown.cache_bytes *= 4;
  host.plant(0).set_options(grown);
  const Sample sample = sampler.next(host);
  CHECK(*sample.database->cache_capacity_bytes == static_cast<std::uint64_t>(4 * before));
  CHECK(*sample.database->cache_usage_bytes == static_cast<std::uint64_t>(before));
}

TEST_CASE("a sample tells what memory its databases leave of the machine") {
  const auto available = [](Sampler& sampler, const Host& host) {
    return static_cast<double>(*sampler.next(host).host->memory_available_bytes);
  };
  HostLaws laws;
  laws.memory = MemoryLaws{1e9, 600e6};
  PlantOptions options;
  options.cache_bytes = 100e6;
  Host host(laws, {Plant(options, Laws(), 0), Plant(options, Laws(), 0)});
  Sampler sampler(host, 0);
  CHECK(*sampler.next(host).host->memory_total_bytes == 1e9);
  CHECK(available(sampler, host) == 600e6);  // with both caches full
  CHECK(*sampler.next(host).host->process_rss_bytes == 100e6);
  PlantOptions smaller = options;
  smaller.cache_bytes = 40e6;
  host.advance(1);
  host.plant(0).set_options(smaller);
  CHECK(available(sampler, host) == 660e6);
  CHECK(*sampler.next(host).host->process_rss_bytes == 40e6);
  host.set_away(1, true);
  CHECK(available(sampler, host) == 760e6);
  Arrivals writes;
  writes.writes_per_second = 1000;
  host.plant(0).set_arrivals(writes);
  host.advance(5);
  const double memtables = host.plant(0).memtable_bytes(0);
  CHECK(memtables == Approx(5e6 / Laws().memtable_fill));
  CHECK(available(sampler, host) == Approx(760e6 - memtables));
}

TEST_CASE("without its memory known no sample tells of any") {
  const Host host = narrow_host(100);
  Sampler sampler(host, 0);
  CHECK_FALSE(sampler.next(host).host->memory_available_bytes);
}

TEST_CASE("what is read after a close is another opening") {
  const Host host = narrow_host(100);
  Sampler sampler(host, 0);
  sampler.close();  // it was not there yet
  const std::string first = sampler.next(host).incarnation;
  CHECK(first == Sampler(host, 0).next(host).incarnation);
  sampler.close();
  sampler.close();
  const std::string second = sampler.next(host).incarnation;
  CHECK(second != first);
  CHECK(sampler.next(host).incarnation == second);
}

TEST_CASE("a sample tells the knobs as they stand now, and as they were found") {
  Host host = narrow_host(100);
  Sampler sampler(host, 0);
  const PlantOptions found = host.plant(0).options();
  CHECK(sampler.next(host).knobs == read_knobs(found, found));
  PlantOptions turned = found;
  turned.max_background_jobs = 6;
  turned.families[0].limits.l0_slowdown_files = 40;
  host.plant(0).set_options(turned);
  CHECK(sampler.next(host).knobs == read_knobs(turned, found));
  host.plant(0).set_options(found);
  CHECK(sampler.next(host).knobs == read_knobs(found, found));
}

}  // namespace
}  // namespace rocktune::sim
