#include "sim/reading.h"

#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

Sample recorded() {
  PlantOptions options;
  options.max_background_jobs = 6;
  options.delayed_write_rate = 5 << 20;
  options.families[0].write_buffer_bytes = 32 << 20;
  options.families[0].limits.l0_slowdown_files = 12;
  options.families[0].tree.shape.dynamic_level_bytes = true;
  return test::record(Plant(options, {}, 0), 20000, 120).back();
}

TEST_CASE("options are read from a sample") {
  const auto options = plant_options(recorded(), "7.8.3");
  REQUIRE(options);
  CHECK(options->max_background_jobs == 6);
  CHECK(options->delayed_write_rate == 5 << 20);
  CHECK(options->rate_limit == 0);
  CHECK_FALSE(options->debt_for_size_speeds_up);
  REQUIRE(options->families.size() == 1);
  const FamilyOptions& family = options->families[0];
  CHECK(family.write_buffer_bytes == 32 << 20);
  CHECK(family.limits.l0_slowdown_files == 12);
  CHECK(family.limits.l0_stop_files == 36);
  CHECK(family.tree.shape.dynamic_level_bytes);
  CHECK(family.tree.shape.max_bytes_for_level_multiplier == 10);
  CHECK(family.tree.levels == 7);
  CHECK_FALSE(family.tree.small_l0_stays);
}

TEST_CASE("rules that came with a version") {
  const auto of = [](const char* version) { return *plant_options(recorded(), version); };
  CHECK_FALSE(of("6.11.0").debt_for_size_speeds_up);
  CHECK_FALSE(of("8.9.1").debt_for_size_speeds_up);
  CHECK(of("8.10.0").debt_for_size_speeds_up);
  CHECK(of("11.8.1").debt_for_size_speeds_up);
  CHECK_FALSE(of("8.11.3").families[0].tree.small_l0_stays);
  CHECK(of("9.0.0").families[0].tree.small_l0_stays);
  CHECK_FALSE(of("unknown").debt_for_size_speeds_up);
}

TEST_CASE("a limiter counts where it limits") {
  Sample sample = recorded();
  sample.knobs.edit().push_back(test::limiter_knob(30 << 20));
  CHECK(plant_options(sample, "7.8.3")->rate_limit == 30 << 20);
  sample.knobs.edit().back() = test::limiter_knob(kUnlimitedBytesPerSecond);
  CHECK(plant_options(sample, "7.8.3")->rate_limit == 0);
}

TEST_CASE("another policy begins with the knobs as they were found") {
  Sample sample = recorded();
  sample.knobs = {test::jobs_knob(6, 2), test::limiter_knob(30 << 20)};
  sample.knobs.edit().push_back(
      test::knob_reading(knob::kWriteBufferSize, 32 << 20, 8 << 20, 1, 1 << 30));
  sample.knobs.edit().back().column_family = "default";
  const auto as_was = plant_options(sample, "7.8.3");
  const auto found = plant_options(sample, "7.8.3", KnobsAt::kFound);
  REQUIRE(as_was);
  REQUIRE(found);
  CHECK(as_was->max_background_jobs == 6);
  CHECK(as_was->families[0].write_buffer_bytes == 32 << 20);
  CHECK(found->max_background_jobs == 2);
  CHECK(found->rate_limit == 0);
  CHECK(found->families[0].write_buffer_bytes == 8 << 20);
}

TEST_CASE("what cannot be simulated is refused by name") {
  Sample sample = recorded();
  sample.database->column_families[0].leveled_compaction = 0;
  const auto universal = plant_options(sample, "7.8.3");
  REQUIRE_FALSE(universal);
  CHECK(universal.error().code == ErrorCode::kUnsupported);
  CHECK(universal.error().message ==
        "column family default cannot be simulated: its compaction is not leveled");
  sample = recorded();
  sample.database->column_families[0].levels.clear();
  CHECK(plant_options(sample, "7.8.3").error().message ==
        "column family default cannot be simulated: its levels were not read");
  sample = recorded();
  sample.database->column_families[0].target_file_bytes.reset();
  CHECK(plant_options(sample, "7.8.3").error().message ==
        "column family default cannot be simulated: its options were not read");
  sample = recorded();
  sample.database->column_families[0].levels[0].files = std::uint64_t{1} << 60;
  CHECK(plant_options(sample, "7.8.3").error().message ==
        "column family default cannot be simulated: it has more files of level 0 or memtables than "
        "are simulated");
  sample.database.reset();
  CHECK_FALSE(plant_options(sample, "7.8.3"));
}

TEST_CASE("the state of a sample is that of the plant it came from") {
  PlantOptions options;
  Host host = test::alone(Plant(options, {}, 3), 30000);
  host.advance(200);
  const Plant& plant = host.plant(0);
  const auto states = family_states(test::sample_of(plant, 1), plant.laws());
  REQUIRE(states.size() == 1);
  CHECK(states[0].l0_files == plant.tree(0).l0_files());
  CHECK(states[0].level_bytes[1] == Approx(plant.tree(0).level_bytes(1)).margin(1));
  CHECK(states[0].active_bytes == Approx(plant.active_bytes(0)).margin(2));
  CHECK(states[0].immutable_memtables == plant.immutable_memtables(0));
}

}  // namespace
}  // namespace rocktune::sim
