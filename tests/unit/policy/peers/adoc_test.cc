// ADOC's rules and their order, and the sizes that follow the memtable.
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "policy/engine.h"
#include "tests/unit/policy/peers/peer_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::int64_t kAdocMiB = std::int64_t{1} << 20;

class AdocBench : public PeerBench {
 public:
  explicit AdocBench(const PolicyParams& params = {}) : PeerBench("adoc", params) {
    knob(knob::kWriteBufferSize, 64 * kAdocMiB, "default");
    knob(knob::kTargetFileSize, 64 * kAdocMiB, "default");
    knob(knob::kLevelBase, 256 * kAdocMiB, "default");
    f.flush_bytes_per_second = 100e6;
  }
  // The first tick with a flush only begins the history.
  void start() { CHECK(run(2.5).empty()); }
  void waiting(std::uint64_t memtables) {
    f.immutable_memtables = static_cast<double>(memtables);
    f.column_families[0].immutable_memtables = memtables;
  }
  void pending(double of_soft) {
    f.pending_ratio = of_soft;
    f.column_families[0].pending_compaction_bytes =
        static_cast<std::uint64_t>(of_soft * 64 * 1024 * kAdocMiB);
  }
  // Flushes have been seen at full speed, and are now at `share` of it, without a break.
  void flushes_at(double share) {
    const bool acts = act;
    act = false;
    waiting(1);
    f.flush_bytes_per_second = 100e6;
    run(10);
    f.flush_bytes_per_second = 100e6 * share;
    run(10);
    act = acts;
  }
  std::int64_t jobs_after_a_tick() {
    run(1);
    return value(knob::kBackgroundJobs);
  }
  [[nodiscard]] std::int64_t memtable() const { return value(knob::kWriteBufferSize, "default"); }
  [[nodiscard]] std::int64_t file_size() const { return value(knob::kTargetFileSize, "default"); }
  [[nodiscard]] std::int64_t level_base() const { return value(knob::kLevelBase, "default"); }
};

// Memtables of one size that wait for their flush without a break, one after the other: what each
// has written is counted as it ends.
class LumpyFlushes {
 public:
  LumpyFlushes(AdocBench& bench, double bytes, std::uint32_t seed)
      : bench_(bench), bytes_(bytes), random_(seed) {
    bench.act = false;
    bench.waiting(1);
  }
  // What is proposed meanwhile for flushes that are slow.
  int slow(double seconds, double seconds_each, double poll = 0.5) {
    int found = 0;
    for (double passed = 0; passed < seconds; passed += poll) {
      double flushed = 0;
      for (left_ -= poll; left_ <= 0; left_ += seconds_each * spread_(random_)) flushed += bytes_;
      bench_.f.flush_bytes_per_second = flushed / poll;
      for (const Proposal& one : bench_.tick(poll)) found += one.reason.starts_with("flushes are");
    }
    return found;
  }

 private:
  AdocBench& bench_;
  double bytes_, left_ = 0.3;
  std::mt19937 random_;
  std::uniform_real_distribution<double> spread_{0.7, 1.3};
};

}  // namespace

TEST_CASE("adoc: flushes as fast as ever are not slow, however few end in a poll", "[peers]") {
  const double poll = GENERATE(0.2, 0.5, 2.0);
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed, poll);
    AdocBench bench;
    LumpyFlushes flushes(bench, 64.0 * kAdocMiB, seed);
    CHECK(flushes.slow(1200, 0.7, poll) == 0);
    CHECK(flushes.slow(300, 1.4, poll) > 0);  // half as fast
  }
}

TEST_CASE("adoc: nor are those of memtables that take seconds each", "[peers]") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    AdocBench bench;
    LumpyFlushes flushes(bench, 512.0 * kAdocMiB, seed);
    CHECK(flushes.slow(3000, 5.6) == 0);
    CHECK(flushes.slow(600, 14) > 0);
  }
}

TEST_CASE("adoc: a break in the waiting begins the measurement anew", "[peers]") {
  AdocBench bench;
  LumpyFlushes flushes(bench, 64.0 * kAdocMiB, 1);
  CHECK(flushes.slow(60, 0.7) == 0);
  for (int i = 0; i < 60;
       ++i) {  // bursts of three seconds, in which flushes take four times as long
    bench.waiting(0);
    bench.tick();
    bench.waiting(1);
    CHECK(flushes.slow(3, 2.8) == 0);
  }
}

TEST_CASE("adoc: comfort moves nothing", "[peers]") {
  AdocBench bench;
  CHECK(bench.run(60).empty());
}

TEST_CASE("adoc: two jobs more while memtables wait, to the number of cores", "[peers]") {
  AdocBench bench;
  bench.start();
  bench.waiting(1);
  CHECK(bench.jobs_after_a_tick() == 6);
  CHECK(bench.jobs_after_a_tick() == 8);
  CHECK(bench.jobs_after_a_tick() == 8);
  CHECK(bench.memtable() == 64 * kAdocMiB);
}

TEST_CASE("adoc: the operator's number of jobs is the number of cores", "[peers]") {
  AdocBench bench;
  bench.f.cpus = 2;
  bench.start();
  bench.waiting(1);
  CHECK(bench.jobs_after_a_tick() == 4);  // more than the cores already, and not taken back
  bench.budget.jobs_max = 5;
  CHECK(bench.jobs_after_a_tick() == 5);
}

TEST_CASE("adoc: two jobs more at the slowdown trigger, and at the soft limit", "[peers]") {
  AdocBench bench;
  bench.start();
  bench.level0(19);
  CHECK(bench.jobs_after_a_tick() == 4);
  bench.level0(20);
  CHECK(bench.jobs_after_a_tick() == 6);
  bench.level0(0);
  bench.pending(1);
  CHECK(bench.jobs_after_a_tick() == 8);
}

TEST_CASE("adoc: slow flushes halve the jobs, not below 2, although memtables wait", "[peers]") {
  AdocBench bench;
  bench.flushes_at(0.51);
  CHECK(bench.jobs_after_a_tick() == 6);
  bench.flushes_at(0.49);
  CHECK(bench.jobs_after_a_tick() == 3);
  CHECK(bench.jobs_after_a_tick() == 2);
  CHECK(bench.jobs_after_a_tick() == 2);
}

TEST_CASE("adoc: a level 0 or a debt at its limit wins over slow flushes", "[peers]") {
  AdocBench bench;
  bench.flushes_at(0.3);
  bench.level0(20);
  CHECK(bench.jobs_after_a_tick() == 6);
}

TEST_CASE("adoc: a flush that nobody waits for is not slow", "[peers]") {
  AdocBench bench;
  bench.flushes_at(1);
  bench.waiting(0);
  bench.f.flush_bytes_per_second = 1e6;
  bench.run(6);  // what was measured before is forgotten
  CHECK(bench.run(20).empty());
}

TEST_CASE("adoc: memtables grow by what they were found with; sizes follow", "[peers]") {
  AdocBench bench;
  bench.start();
  bench.waiting(2);
  bench.run(1);
  CHECK(bench.memtable() == 128 * kAdocMiB);
  bench.waiting(0);
  bench.run(1);
  CHECK(bench.memtable() == 128 * kAdocMiB);
  CHECK(bench.file_size() == 128 * kAdocMiB);
  CHECK(bench.level_base() == 4 * 128 * kAdocMiB);
  CHECK(bench.run(10).empty());
  bench.waiting(2);
  bench.run(20);
  CHECK(bench.memtable() == 512 * kAdocMiB);
  CHECK(bench.file_size() == 512 * kAdocMiB);
}

TEST_CASE("adoc: sizes follow what the memtable is, not what it was to be", "[peers]") {
  AdocBench bench;
  bench.start();
  bench.waiting(2);
  const auto made = [&](std::int64_t memtable) {
    for (KnobReading& reading : bench.f.knobs.edit()) {
      if (reading.name == knob::kWriteBufferSize) reading.value = memtable;
    }
  };
  bench.held = knob::kWriteBufferSize;
  SECTION("all of it is held: nothing moves") {
    for (const Proposal& one : bench.run(20)) {
      CHECK(one.knob != knob::kTargetFileSize);
      CHECK(one.knob != knob::kLevelBase);
    }
  }
  SECTION("a part of it is granted") {
    bench.run(1);
    made(80 * kAdocMiB);
    bench.run(20);
    CHECK(bench.file_size() == 80 * kAdocMiB);
    CHECK(bench.level_base() == 4 * 80 * kAdocMiB);
    made(64 * kAdocMiB);  // as found again, whoever did it
    bench.run(1);
    CHECK(bench.file_size() == 64 * kAdocMiB);
  }
  CHECK(bench.level_base() == 256 * kAdocMiB);
}

TEST_CASE("adoc: without memory_max no size moves in an engine", "[peers]") {
  EngineConfig config;
  config.policy = "adoc";
  const bool room = GENERATE(false, true);
  if (room) config.budget.memory_max = Bytes{4096 * kAdocMiB};
  Engine engine = *Engine::create(config);
  Sample sample = quiet_sample(0);
  sample.database->column_families[0].immutable_memtables = 2;
  const std::pair<std::string_view, std::int64_t> found[] = {{knob::kWriteBufferSize, 64},
                                                             {knob::kWriteBuffers, 2},
                                                             {knob::kTargetFileSize, 64},
                                                             {knob::kLevelBase, 256}};
  for (const auto& [name, value] : found) {
    const std::int64_t each = name == knob::kWriteBuffers ? 1 : kAdocMiB;
    sample.knobs.edit().push_back(
        knob_reading(name, value * each, value * each, 1, std::int64_t{1} << 50));
    sample.knobs.edit().back().column_family = "default";
  }
  std::set<std::string> moved;
  for (int i = 0; i < 60; ++i) {
    sample = next_sample(sample);
    *sample.database->flush_bytes_written += 50'000'000;
    for (const Decision& one : engine.step(sample).decisions) {
      if (!may_be_applied(one.verdict)) continue;
      for (KnobReading& reading : sample.knobs.edit()) {
        if (reading.name != one.proposal.knob) continue;
        reading.value = one.verdict.value;
        moved.insert(reading.name);
      }
      engine.report({one.id, "applied", "", one.proposal.from, one.verdict.value});
    }
  }
  using Knobs = std::set<std::string>;
  const Knobs sizes{std::string(knob::kWriteBufferSize), std::string(knob::kTargetFileSize),
                    std::string(knob::kLevelBase)};
  moved.erase(std::string(knob::kBackgroundJobs));
  CHECK(moved == (room ? sizes : Knobs{}));
}

TEST_CASE("adoc: memtables are halved at the soft limit, although they wait", "[peers]") {
  AdocBench bench;
  bench.start();
  bench.waiting(2);
  bench.run(2);
  CHECK(bench.memtable() == 192 * kAdocMiB);
  bench.pending(1);
  bench.run(1);
  CHECK(bench.memtable() == 96 * kAdocMiB);
  bench.run(5);
  CHECK(bench.memtable() == 64 * kAdocMiB);
  CHECK(bench.file_size() == 64 * kAdocMiB);
}

TEST_CASE("adoc: slow flushes enlarge memtables", "[peers]") {
  AdocBench bench;
  bench.flushes_at(0.4);
  bench.run(1);
  CHECK(bench.memtable() == 128 * kAdocMiB);
}

TEST_CASE("adoc: each column family by its own pressures", "[peers]") {
  AdocBench bench;
  bench.start();
  bench.knob(knob::kWriteBufferSize, 64 * kAdocMiB, "hot");
  ColumnFamilyReading hot = bench.f.column_families[0];
  hot.name = "hot";
  hot.immutable_memtables = 2;
  bench.f.column_families.push_back(hot);
  bench.run(1);
  CHECK(bench.memtable() == 64 * kAdocMiB);
  CHECK(bench.value(knob::kWriteBufferSize, "hot") > 64 * kAdocMiB);
}

TEST_CASE("adoc: its sizes are parameters", "[peers]") {
  AdocBench bench({{"memtable_min_bytes", 1 << 20}, {"memtable_max_bytes", 96 << 20}});
  bench.start();
  bench.waiting(2);
  bench.run(5);
  CHECK(bench.memtable() == 96 * kAdocMiB);
  bench.pending(1);
  bench.run(20);
  CHECK(bench.memtable() == kAdocMiB);
}

TEST_CASE("adoc: without a flush, a reading, or after another open nothing moves", "[peers]") {
  AdocBench bench;
  bench.start();
  bench.waiting(2);
  bench.f.flush_bytes_per_second = 0;
  CHECK(bench.run(10).empty());
  bench.f.flush_bytes_per_second.reset();
  CHECK(bench.run(10).empty());
  bench.f.flush_bytes_per_second = 100e6;
  bench.f.fresh = false;
  CHECK(bench.run(10).empty());
  bench.f.fresh = true;
  bench.f.reset = true;
  CHECK(bench.run(1.5).empty());
  bench.f.cpus.reset();
  for (const Proposal& proposal : bench.run(2)) CHECK(proposal.knob != knob::kBackgroundJobs);
}
