// A recorded run for tests: a plant with known laws, sampled as an agent would.
#pragma once

#include <vector>

#include "model/knobs.h"
#include "sim/host.h"
#include "sim/sampler.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

inline constexpr double kMega = 1 << 20;

// The sample at the plant's present time.
inline Sample sample_of(const sim::Plant& plant, std::uint64_t sequence) {
  Sample sample;
  const Nanoseconds tick = at_seconds(1000 + plant.totals().seconds);
  sample.at = {at_seconds(1.7e9 + plant.totals().seconds), tick};
  sample.sequence = sequence;
  sample.incarnation = "sim-1/db-1";
  sample.database = sim::read_database(plant, tick);
  const auto jobs = plant.options().max_background_jobs;
  const auto rate = static_cast<std::int64_t>(plant.options().delayed_write_rate);
  sample.knobs = {jobs_knob(jobs, jobs),
                  knob_reading(knob::kDelayedWriteRate, rate, rate, 1, std::int64_t{1} << 40)};
  return sample;
}

// A host with nothing but this database, and no device that anybody would wait for.
inline sim::Host alone(sim::Plant plant, double writes_per_second) {
  sim::Arrivals arrivals;
  arrivals.writes_per_second = writes_per_second;
  plant.set_arrivals(arrivals);
  return {{8, std::nullopt}, {std::move(plant)}};
}

// One sample a second, the first at once.
inline std::vector<Sample> record(sim::Plant plant, double writes_per_second, int seconds) {
  sim::Host host = alone(std::move(plant), writes_per_second);
  std::vector<Sample> samples;
  for (int second = 0; second <= seconds; ++second) {
    if (second > 0) host.advance(1);
    samples.push_back(sample_of(host.plant(0), static_cast<std::uint64_t>(second) + 1));
  }
  return samples;
}

}  // namespace rocktune::test
