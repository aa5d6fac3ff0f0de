#include "score/detector.h"

#include <set>

#include "score/baselines.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/score/seconds.h"

using namespace rocktune;
using namespace rocktune::score;
using rocktune::score::test::kBacklog;
using rocktune::test::kMiB;
using rocktune::test::next_sample;
using rocktune::test::quiet_sample;

namespace {

constexpr auto kP99 = IndicatorKind::kP99;
constexpr auto kDevice = IndicatorKind::kDeviceSaturation;

std::unique_ptr<Detector> detector(const char* name) {
  const DetectorSpec* spec = find_detector(name);
  REQUIRE(spec != nullptr);
  return make_detector(*spec, Objective{}, {10, 60});
}

void show(Detector& detector, const Sample& sample) {
  detector.update(derive(nullptr, sample), sample);
}

}  // namespace

TEST_CASE("every name makes a detector, and never none", "[score]") {
  std::set<std::string_view> names;
  for (const DetectorSpec& spec : detector_specs()) {
    CHECK(names.insert(spec.name).second);
    const auto made = make_detector(spec, Objective{}, {10});
    REQUIRE(made);
    show(*made, quiet_sample());
    for (const IndicatorKind kind : {kP99, kDevice}) {
      if (!covers(spec, kind)) CHECK_FALSE(made->score(kind, 10));
    }
  }
  CHECK(find_detector("sttic") == nullptr);
}

TEST_CASE("a choice is a name, with a threshold where one is taken", "[score]") {
  const auto chosen = parse_choice("static=0.7");
  REQUIRE(chosen);
  CHECK(chosen->spec->name == "static");
  CHECK(chosen->threshold == 0.7);
  CHECK(chosen->label == "static=0.7");
  CHECK_FALSE(parse_choice("holt")->threshold);
  for (const char* bad : {"", "sttic", "static=", "static=0.7x", "static=nan", "never=1",
                          "rocktune-alerts=0.5", "compaction-pressure=2"}) {
    INFO(bad);
    CHECK_FALSE(parse_choice(bad));
  }
  CHECK(parse_choice("sttic").error().message.find("predict-linear") != std::string::npos);
}

TEST_CASE("never says nothing, which is a probability of 0", "[score]") {
  const auto never = detector("never");
  show(*never, quiet_sample());
  CHECK(never->score(kBacklog, 60) == 0.0);
  CHECK(never->score(kP99, 60) == 0.0);
}

TEST_CASE("static scores are shares of the limits", "[score]") {
  const auto still = detector("static");
  Sample sample = quiet_sample();
  sample.database->column_families[0].levels[0].files = 14;
  show(*still, sample);
  CHECK(still->score(kBacklog, 60) == 14.0 / 20);
  CHECK_FALSE(still->score(kP99, 60));  // one sample has no latencies
  const auto pending = detector("static-pending");
  sample.database->column_families[0].pending_compaction_bytes = 16 * 1024 * kMiB;
  show(*pending, sample);
  CHECK(pending->score(kBacklog, 10) == 0.25);
  const auto memtables = detector("static-memtables");
  sample.database->column_families[0].immutable_memtables = 1;
  show(*memtables, sample);
  CHECK(memtables->score(kBacklog, 10) == 0.5);
  // Nothing stays behind when the agent is not read.
  Sample gone = next_sample(sample);
  gone.database.reset();
  show(*still, gone);
  CHECK_FALSE(still->score(kBacklog, 60));
}

TEST_CASE("of reads and writes, queue and await, the one nearer its limit counts", "[score]") {
  const Objective objective;  // 5 ms, 20 ms, queue of 32, 10 ms
  Features f;
  f.interval_seconds = 1;
  f.reads_per_second = 1000;
  f.writes_per_second = 1000;
  f.read_p99_us = 1000;
  f.write_p99_us = 10'000;
  CHECK(uses_now(f, objective)[0] == 0.5);
  f.writes_per_second = 10;  // too few to have a P99
  CHECK(uses_now(f, objective)[0] == 0.2);
  f.device_queue = 8;
  CHECK(uses_now(f, objective)[2] == 0.25);
  f.device_read_await_ms = 5;
  CHECK(uses_now(f, objective)[2] == 0.25);  // of no reads
  f.device_read_iops = 100;
  CHECK(uses_now(f, objective)[2] == 0.5);
  CHECK_FALSE(uses_now(Features{}, objective)[2]);
}

TEST_CASE("compaction pressure begins where RocksDB speeds compaction up", "[score]") {
  ColumnFamilyReading family;
  family.level0_compaction_trigger = 4;
  family.level0_slowdown_trigger = 20;
  family.levels = {{7, 7 * kMiB}, {4, 100 * kMiB}};
  // min(2 * 4, 4 + (20 - 4) / 4) = 8 files
  CHECK(*compaction_pressure(family) < 1);
  family.levels[0].files = 8;
  CHECK(*compaction_pressure(family) == 1);
  family.level0_slowdown_trigger = 12;  // 4 + 8 / 4 = 6
  CHECK(*compaction_pressure(family) > 1);
  // Pending bytes: min(max(bottom level / 8, 2 * base), soft / 4)
  family.levels = {{0, 0}, {4, 100 * kMiB}, {16, 8000 * kMiB}, {0, 0}};
  family.max_bytes_for_level_base_bytes = 256 * kMiB;
  family.soft_pending_limit_bytes = 64 * 1024 * kMiB;
  family.pending_compaction_bytes = 1000 * kMiB;
  CHECK(*compaction_pressure(family) == 1);
  family.levels[2].bytes = 1000 * kMiB;  // then twice the base counts
  CHECK(*compaction_pressure(family) == Approx(1000.0 / 512));
  family.soft_pending_limit_bytes = 1000 * kMiB;
  CHECK(*compaction_pressure(family) == 4);
  CHECK_FALSE(compaction_pressure(ColumnFamilyReading{}));
}

TEST_CASE("the column family under the most pressure counts", "[score]") {
  const auto pressure = detector("compaction-pressure");
  Sample sample = quiet_sample();
  sample.database->column_families.push_back(sample.database->column_families[0]);
  sample.database->column_families[1].levels[0].files = 16;
  show(*pressure, sample);
  CHECK(pressure->score(kBacklog, 60) == 2);
  CHECK_FALSE(pressure->score(kP99, 60));
  sample.database.reset();
  show(*pressure, sample);
  CHECK_FALSE(pressure->score(kBacklog, 60));
}

TEST_CASE("rocktune's own indicators are asked for each horizon", "[score]") {
  const auto ours = detector("rocktune");
  const auto alerts = detector("rocktune-alerts");
  Sample before = quiet_sample(), sample = before;
  for (int i = 0; i < 46; ++i) {  // L0 gains a file in 3 s, towards 20
    sample = next_sample(before, 1);
    sample.database->column_families[0].levels[0].files = static_cast<std::uint64_t>(i) / 3;
    const Features features = derive(&before, sample);
    ours->update(features, sample);
    alerts->update(features, sample);
    before = sample;
  }
  const auto near = ours->score(kBacklog, 10), far = ours->score(kBacklog, 60);
  REQUIRE(near);
  REQUIRE(far);
  CHECK(*far > *near);                     // there is more time for it to come
  CHECK_FALSE(ours->score(kBacklog, 30));  // was not asked for
  CHECK(alerts->score(kBacklog, 10) == 0.0);
  CHECK(alerts->score(kBacklog, 60) == 1.0);
}

TEST_CASE("recent-event says 1 for 60 s after the same condition has ended", "[score]") {
  const auto recent = detector("recent-event");
  Sample sample = quiet_sample();
  show(*recent, sample);
  CHECK(recent->score(kBacklog, 60) == 0.0);
  sample = next_sample(sample, 1);
  sample.database->write_stopped = 1;
  show(*recent, sample);
  CHECK(recent->score(kBacklog, 60) == 0.0);  // it holds: there is nothing to foresee
  sample = next_sample(sample, 1);
  sample.database->write_stopped = 0;
  for (int second = 1; second < 60; ++second) {
    show(*recent, sample);
    REQUIRE(recent->score(kBacklog, 60) == 1.0);
    REQUIRE(recent->score(kDevice, 60) == 0.0);  // another condition
    sample = next_sample(sample, 1);
  }
  show(*recent, sample);
  CHECK(recent->score(kBacklog, 60) == 0.0);
}
