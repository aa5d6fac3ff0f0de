// What is only worth a try, in a steady load: one experiment at a time; and what a lower base
// leaves pending is no backlog of writes.
#include "policy/peace.h"

#include "tests/unit/policy/write_size_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Ten minutes in which reads are fast and nothing is changed.
HeadroomBench in_peace() {
  HeadroomBench bench = behind_writes();
  bench.f.device_write_await_ms = 1;
  CHECK_FALSE(bench.run(601, knob::kWriteSize));
  return bench;
}

}  // namespace

TEST_CASE("peace: what is worth a try waits until ten minutes after the last change",
          "[headroom][peace]") {
  HeadroomBench bench = in_peace();
  bench.f.knobs.edit()[2].value /= 2;
  bench.f.device_write_await_ms = 8;
  SECTION("of any knob") {
    CHECK_FALSE(bench.run(598, knob::kWriteSize));
    const auto small = bench.run(4, knob::kWriteSize);
    REQUIRE(small);
    CHECK(small->rule == "write_size.reads");
  }
  SECTION("but not once reads are slow") {
    CHECK_FALSE(bench.run(20, knob::kWriteSize));
    bench.f.read_p99_us = 31'000;
    CHECK(bench.run(8, knob::kWriteSize));
  }
  SECTION("nor once memory is low") {
    CHECK_FALSE(bench.run(20, knob::kWriteSize));
    bench.f.memory_available_bytes = 0.01 * *bench.f.memory_total_bytes;
    CHECK(bench.run(20, knob::kWriteSize));
  }
}

TEST_CASE("peace: nobody waits who has just begun", "[headroom][peace]") {
  HeadroomBench bench = behind_writes();
  bench.f.knobs.edit()[2].value /= 2;
  CHECK(bench.run(8, knob::kWriteSize));
}

TEST_CASE("peace: trouble ends it for ten minutes", "[headroom][peace]") {
  HeadroomBench bench = in_peace();
  bench.f.stalled_ratio = 0.5;
  bench.run(1, knob::kWriteSize);
  bench.f.stalled_ratio = 0;
  bench.f.knobs.edit()[2].value /= 2;
  bench.f.device_write_await_ms = 8;
  CHECK(bench.run(20, knob::kWriteSize));
}

TEST_CASE("peace: who owns a knob, and who was not read, is no change", "[headroom][peace]") {
  HeadroomBench bench = in_peace();
  SECTION("a sample without knobs") {
    const KnobReadings knobs = bench.f.knobs;
    bench.f.knobs = {};
    bench.run(0.5, knob::kWriteSize);
    bench.f.knobs = knobs;
  }
  SECTION("a freeze that ends") {
    bench.f.knobs.edit()[2].changeable = false;
    bench.run(0.5, knob::kWriteSize);
    bench.f.knobs.edit()[2].changeable = true;
  }
  SECTION("a column family that comes") {
    KnobReading other = bench.f.knobs[2];
    other.column_family = "other";
    bench.f.knobs.edit().push_back(other);
  }
  bench.f.device_write_await_ms = 8;
  CHECK(bench.run(20, knob::kWriteSize));
}

TEST_CASE("peace: of several tries one begins, and others have their turns", "[headroom][peace]") {
  const std::vector<Indicator> indicators;
  const Objective objective;
  const Budget budget;
  HeadroomBench bench;
  Peace peace;
  const auto left_of = [&](double seconds) {
    std::vector<std::string> rules;
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      bench.f.at.tick += at_seconds(0.5);
      peace.observe(Situation({bench.f, indicators, objective, budget}));
    }
    std::vector<Proposal> proposals;
    for (const char* rule :
         {"jobs.backlog", "write_size.reads", "l0_trigger.writes", "jobs.idle"}) {
      proposals.push_back(propose(bench.f.knobs[1], 1, rule));
    }
    peace.leave_one_try(proposals);
    for (const Proposal& one : proposals) rules.push_back(one.rule);
    return rules;
  };
  CHECK(left_of(599).size() == 4);
  using Rules = std::vector<std::string>;
  CHECK(left_of(2) == Rules{"jobs.backlog", "write_size.reads", "jobs.idle"});
  CHECK(left_of(0.5) == Rules{"jobs.backlog", "l0_trigger.writes", "jobs.idle"});
  CHECK(left_of(0.5) == Rules{"jobs.backlog", "write_size.reads", "jobs.idle"});
}

TEST_CASE("limiter: what a lower base leaves pending has ten minutes", "[headroom]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kLevelBase, 128 << 20, 64 << 20, 1 << 20, 1 << 30));
  bench.set_limit(50'000'000, 50e6);
  bench.tick();
  bench.f.pending_bytes = 61 * 50e6;
  bench.f.pending_ratio = 0.3;  // not comfortable, and no trouble
  bool lowered = true;
  SECTION("it was lowered") {
    bench.f.knobs.edit().back().value = 64 << 20;
  }
  SECTION("it was lowered in a sample that was not read") {
    const KnobReadings knobs = bench.f.knobs;
    bench.f.knobs = {};
    bench.tick();
    bench.f.knobs = knobs;
    bench.f.knobs.edit().back().value = 64 << 20;
  }
  SECTION("it was raised") {
    lowered = false;
    bench.f.knobs.edit().back().value = 256 << 20;
  }
  const auto raise = bench.run(590, knob::kRateLimit);
  CHECK(raise.has_value() == !lowered);
  if (!lowered) return;
  const auto later = bench.run(20, knob::kRateLimit);
  REQUIRE(later);
  CHECK(later->rule == "limiter.backlog");
}

TEST_CASE("limiter: level 0 that fills is answered, base or not", "[headroom]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kLevelBase, 128 << 20, 64 << 20, 1 << 20, 1 << 30));
  bench.set_limit(31'000'000, 30e6);  // 30 MB/s are needed
  bench.tick();
  bench.f.knobs.edit().back().value = 64 << 20;
  bench.backlog(9);  // no trouble, no comfort
  const auto raise = bench.run(8, knob::kRateLimit);
  REQUIRE(raise);
  CHECK(raise->rule == "limiter.need");
}

TEST_CASE("limiter: a stall is answered, base or not", "[headroom]") {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kLevelBase, 128 << 20, 64 << 20, 1 << 20, 1 << 30));
  bench.set_limit(50'000'000, 50e6);
  bench.tick();
  bench.f.knobs.edit().back().value = 64 << 20;
  bench.f.stalled_ratio = 0.5;
  bench.backlog(20);
  CHECK(bench.run(2, knob::kRateLimit));
}

TEST_CASE("write size: debt that a change of levels brings is none that grows", "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.read_p99_us = 4000;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kLevelBase, 128 << 20, 64 << 20, 1 << 20, 1 << 30));
  for (int i = 0; i < 200; ++i) {
    if (i == 30) bench.f.knobs.edit().back().value = 64 << 20;
    bench.f.pending_bytes = (i < 30 ? 0 : 1e9) + 10e6 * (i % 10);
    CHECK_FALSE(bench.run(1, knob::kWriteSize));
  }
}

TEST_CASE("peace: what a host turns by itself again and again keeps no try waiting",
          "[headroom][peace]") {
  HeadroomBench bench = behind_writes();
  bench.f.device_write_await_ms = 1;
  KnobReading& limiter = bench.f.knobs.edit()[0];
  limiter.owner = KnobOwner::kManual;
  limiter.value = 100'000'000;
  bench.run_ticks(1300, knob::kWriteSize,
                  [&](int i) { bench.f.knobs.edit()[0].value += i % 20 == 0 ? 1'000'000 : 0; });
  bench.f.device_write_await_ms = 8;
  const auto small = bench.run_ticks(40, knob::kWriteSize, [&](int i) {
    bench.f.knobs.edit()[0].value += i % 20 == 0 ? 1'000'000 : 0;
  });
  CHECK(small);
}

TEST_CASE("peace: while a shape is measured nothing else is tried", "[headroom][peace]") {
  HeadroomBench bench = behind_writes();
  bench.family(64 * kHeadroomMiB, 0);
  bench.f.device_write_await_ms = 1;
  std::optional<Proposal> shape;
  for (int i = 0; i < 10'000 && !shape; ++i) {
    for (const Proposal& one : bench.tick()) {
      if (one.rule == "shape.try") shape = one;
    }
  }
  REQUIRE(shape);
  bench.apply(*shape);
  bench.run(700, knob::kWriteSize);
  bench.f.device_write_await_ms = 8;
  CHECK_FALSE(bench.run(20, knob::kWriteSize));
  bench.f.read_p99_us = 31'000;  // what is felt waits for nothing
  CHECK(bench.run(8, knob::kWriteSize));
}
