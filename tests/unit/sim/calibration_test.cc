#include "sim/calibrate/lsm.h"
#include "sim/calibrate/run.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

Laws known_laws() {
  Laws laws;
  laws.bytes_per_write = 400;
  laws.memtable_fill = 0.8;
  laws.flush_output = 0.9;
  laws.flush_bytes_per_second = 90e6;
  laws.l0_bytes_per_second = 110e6;
  laws.deep_bytes_per_second = 75e6;
  laws.tree.overlap = 0.75;
  laws.tree.survival = 0.95;
  laws.job_spread = 0.2;
  return laws;
}

Laws calibrated(const std::vector<Sample>& samples) {
  LsmCalibration calibration;
  for (std::size_t i = 1; i < samples.size(); ++i) calibration.update(samples[i - 1], samples[i]);
  return calibration.laws();
}

TEST_CASE("the laws of a recorded run are found again") {
  const Laws known = known_laws();
  const Laws found = calibrated(test::record(Plant({}, known, 1), 30000, 1800));
  CHECK(found.bytes_per_write == Approx(known.bytes_per_write).epsilon(0.01));
  CHECK(found.memtable_fill == Approx(known.memtable_fill).epsilon(0.05));
  CHECK(found.flush_output == Approx(known.flush_output).epsilon(0.05));
  CHECK(found.flush_bytes_per_second == Approx(known.flush_bytes_per_second).epsilon(0.15));
  CHECK(found.l0_bytes_per_second == Approx(known.l0_bytes_per_second).epsilon(0.1));
  CHECK(found.deep_bytes_per_second == Approx(known.deep_bytes_per_second).epsilon(0.1));
  CHECK(found.tree.survival == Approx(known.tree.survival).epsilon(0.02));
  CHECK(found.job_spread == Approx(known.job_spread).margin(0.08));
}

TEST_CASE("what was not seen is as it is elsewhere") {
  const Laws prior;
  const Laws found = calibrated(test::record(Plant({}, known_laws(), 1), 0, 60));
  CHECK(found.bytes_per_write == prior.bytes_per_write);
  CHECK(found.l0_bytes_per_second == Approx(prior.l0_bytes_per_second));
  CHECK(found.tree.overlap == Approx(prior.tree.overlap));
  CHECK(found.job_spread == Approx(prior.job_spread));
}

TEST_CASE("what a run has shown of its speeds is told from what is assumed") {
  const auto seen = [](double writes, int seconds) {
    RunCalibration calibration(1e6);
    for (const Sample& sample : test::record(Plant({}, known_laws(), 1), writes, seconds)) {
      calibration.add(sample);
    }
    return calibration.seen();
  };
  CHECK(seen(0, 60) == Seen());
  const Seen shortly = seen(30000, 30);  // memtables are flushed, nothing is compacted deeper
  CHECK(shortly.flush_speed);
  CHECK_FALSE(shortly.deep_speed);
  const Seen long_enough = seen(30000, 1800);
  CHECK(long_enough.flush_speed);
  CHECK(long_enough.l0_speed);
  CHECK(long_enough.deep_speed);
  CHECK_FALSE(long_enough.cache);  // nobody read
}

// What a running compaction has read by now counts, and its time does not.
TEST_CASE("a compaction that still runs is no fast one") {
  auto samples = test::record(Plant({}, known_laws(), 1), 30000, 600);
  Sample running = samples.back();
  running.sequence += 1;
  running.database->agent_tick += std::chrono::seconds(1);
  *running.database->compaction_bytes_read += 400'000'000'000;
  samples.push_back(running);
  const Laws laws = calibrated(samples);
  CHECK(laws.deep_bytes_per_second == laws.l0_bytes_per_second);
}

TEST_CASE("another incarnation begins anew, and what was not read tells nothing") {
  auto samples = test::record(Plant({}, known_laws(), 1), 30000, 600);
  const auto laws_of = [](const std::vector<Sample>& run) {
    RunCalibration calibration(1e6);
    for (const Sample& sample : run) calibration.add(sample);
    return calibration.laws();
  };
  const Laws before = laws_of(samples);
  // The same run once more, of a database that was opened again: counters begin at nothing.
  auto again = test::record(Plant({}, known_laws(), 2), 30000, 600);
  for (Sample& sample : again) {
    sample.incarnation = "sim-1/db-2";
    sample.database->agent_tick += std::chrono::seconds(700);
  }
  samples.insert(samples.end(), again.begin(), again.end());
  Sample unread = samples.back();
  unread.database.reset();
  samples.insert(samples.begin() + 300, unread);
  const Laws found = laws_of(samples);
  CHECK(found.bytes_per_write == Approx(before.bytes_per_write).epsilon(0.01));
  CHECK(found.l0_bytes_per_second == Approx(before.l0_bytes_per_second).epsilon(0.1));
}

TEST_CASE("what no machine does, and a gap of years, are refused and not simulated") {
  const auto calibrate = [](auto&& damage) {
    std::vector<Sample> samples = test::record(Plant({}, known_laws(), 1), 1000, 120);
    damage(samples.back());
    RunCalibration calibration(60);
    for (const Sample& sample : samples) calibration.add(sample);
    return calibration.finish("7.8.3", {});
  };
  CHECK(calibrate([](Sample&) {}));
  const auto gap = calibrate(
      [](Sample& last) { last.database->agent_tick += std::chrono::hours(24 * 365 * 20); });
  REQUIRE_FALSE(gap);
  CHECK(gap.error().code == ErrorCode::kCorrupt);
  CHECK(gap.error().message.find("between samples 120 and 121") != std::string::npos);
  for (const auto member : {&DatabaseReading::user_bytes_written, &DatabaseReading::keys_written,
                            &DatabaseReading::compaction_bytes_read}) {
    const auto absurd =
        calibrate([&](Sample& last) { *((*last.database).*member) += std::uint64_t{1} << 60; });
    REQUIRE_FALSE(absurd);
    CHECK(absurd.error().message.find("no machine does that") != std::string::npos);
  }
}

TEST_CASE("memory is as the run's first simulated sample has it, where it has any") {
  std::vector<Sample> samples = test::record(Plant({}, known_laws(), 1), 1000, 120);
  const auto calibrate = [&samples] {
    RunCalibration calibration(60);
    for (const Sample& sample : samples) calibration.add(sample);
    return calibration.finish("7.8.3", {});
  };
  const auto unknown = calibrate();
  REQUIRE(unknown);
  CHECK_FALSE(unknown->host.memory);
  for (Sample& sample : samples) {
    HostReading& host = sample.host.emplace();
    host.memory_total_bytes = 8'000'000'000;
    host.memory_available_bytes = 5'000'000'000 - 1'000'000 * sample.sequence;
  }
  const auto known = calibrate();
  REQUIRE(known);
  REQUIRE(known->host.memory);
  CHECK(known->host.memory->total_bytes == 8e9);
  CHECK(known->host.memory->available_bytes == 5e9 - 61e6);
}

TEST_CASE("a time at which the database was not open is known") {
  const auto calibrate = [](std::size_t reopened_at, std::chrono::seconds away) {
    std::vector<Sample> samples = test::record(Plant({}, known_laws(), 1), 1000, 120);
    for (std::size_t i = reopened_at; i < samples.size(); ++i) {
      samples[i].incarnation = "sim-1/db-2";
      samples[i].database->agent_tick += away;
    }
    samples.back().incarnation = "sim-1/db-3";  // of which nothing else is known
    RunCalibration calibration(60);
    for (const Sample& sample : samples) calibration.add(sample);
    return calibration;
  };
  const RunCalibration long_after = calibrate(81, std::chrono::seconds(600));
  const auto rest = long_after.finish("7.8.3", {});
  REQUIRE(rest);
  REQUIRE(rest->demand.absences.size() == 1);
  CHECK(rest->demand.absences[0].interval == 20);
  CHECK(rest->demand.absences[0].seconds == Approx(601));
  CHECK(rest->demand.seconds.size() == 20 + 38);
  const auto all = long_after.whole("7.8.3", DeviceCapacities());
  REQUIRE(all);
  REQUIRE(all->demand.absences.size() == 1);
  CHECK(all->demand.absences[0].interval == 80);
  CHECK(all->demand.absences[0].seconds == Approx(601));
  // Just before the rest begins, which has none of it.
  const RunCalibration before = calibrate(60, std::chrono::seconds(0));
  const auto later = before.finish("7.8.3", {});
  REQUIRE(later);
  CHECK(later->demand.absences.empty());
  const auto with_it = before.whole("7.8.3", DeviceCapacities());
  REQUIRE(with_it);
  REQUIRE(with_it->demand.absences.size() == 1);
  CHECK(with_it->demand.absences[0].interval == 59);
  CHECK(with_it->demand.absences[0].seconds == Approx(1));
}

TEST_CASE("the overlap is what a simulation of the first part needs") {
  Laws known = known_laws();
  known.job_spread = 0;
  for (const double overlap : {0.45, 0.63, 0.9}) {
    INFO("overlap " << overlap);
    known.tree.overlap = overlap;
    RunCalibration calibration(900);
    for (const Sample& sample : test::record(Plant({}, known, 1), 20000, 1000)) {
      calibration.add(sample);
    }
    const auto input = calibration.finish("6.11.0", {});
    REQUIRE(input);
    CHECK(input->laws.tree.overlap == Approx(overlap).epsilon(0.1));
  }
}

TEST_CASE("a first part without deep compactions leaves the overlap as it is elsewhere") {
  RunCalibration calibration(30);
  for (const Sample& sample : test::record(Plant({}, known_laws(), 1), 5000, 100)) {
    calibration.add(sample);
  }
  const auto input = calibration.finish("6.11.0", {});
  REQUIRE(input);
  CHECK(input->laws.tree.overlap == Laws().tree.overlap);
}

}  // namespace
}  // namespace rocktune::sim
