#include "sim/validation.h"

#include <algorithm>

#include "model/derive.h"
#include "sim/median.h"

namespace rocktune::sim {
namespace {

using derivation::growth;

RunFigures simulated(const SimulationInput& input, std::uint64_t seed) {
  const Totals totals = repeat(input, seed).totals();
  return {totals.seconds, totals.keys_written, totals.compaction_bytes_read,
          totals.delayed_seconds + totals.stopped_seconds};
}

template <class Figure>
double median_over_seeds(const ValidationResult& result, Figure figure) {
  std::vector<double> values;
  values.reserve(result.simulated.size());
  for (const RunFigures& run : result.simulated) values.push_back(figure(run));
  return median(std::move(values));
}

// 0 where there was nothing and is nothing.
double relative_error(double simulated, double recorded) {
  return recorded > 0 ? simulated / recorded - 1 : (simulated > 0 ? 1 : 0);
}

}  // namespace

ValidationErrors validation_errors(const ValidationResult& result) {
  const RunFigures& recorded = result.recorded;
  const double seconds = std::max(recorded.seconds, 1e-9);
  const auto middle = [&](auto figure) { return median_over_seeds(result, figure); };
  ValidationErrors errors;
  errors.stalls = recorded.stalled_seconds > 0;
  const auto stalling =
      std::count_if(result.simulated.begin(), result.simulated.end(),
                    [](const RunFigures& run) { return run.stalled_seconds > 0; });
  errors.stalling_seeds = static_cast<double>(stalling) /
                          static_cast<double>(std::max<std::size_t>(result.simulated.size(), 1));
  errors.ingest = relative_error(middle([](const RunFigures& run) { return run.keys_written; }),
                                 recorded.keys_written);
  errors.compaction_bytes =
      relative_error(middle([](const RunFigures& run) { return run.compaction_bytes_read; }),
                     recorded.compaction_bytes_read);
  errors.stalled_ratio = recorded.stalled_seconds / seconds;
  errors.stalled_ratio_off =
      middle([](const RunFigures& run) { return run.stalled_seconds; }) / seconds -
      errors.stalled_ratio;
  return errors;
}

void Validation::add(const Sample& sample, std::span<const DatabaseEvent> events) {
  has_events_ = has_events_ || !events.empty();
  if (calibration_.add(sample)) compare(sample, events);
  if (sample.database) last_ = sample;
}

// A stall that comes and goes between two samples is in the events only.
void Validation::compare(const Sample& sample, std::span<const DatabaseEvent> events) {
  const DatabaseReading& from = *last_->database;
  const DatabaseReading& to = *sample.database;
  const double interval = seconds_between(from.agent_tick, to.agent_tick);
  recorded_.seconds += interval;
  recorded_.keys_written += growth(from.keys_written, to.keys_written).value_or(0);
  recorded_.compaction_bytes_read +=
      growth(from.compaction_bytes_read, to.compaction_bytes_read).value_or(0);
  const double held = (is_held_back(*last_) ? 0.5 : 0) + (is_held_back(sample) ? 0.5 : 0);
  recorded_.stalled_seconds += held * interval;
  for (const DatabaseEvent& event : events) {
    const auto before = event.words.find("before");
    const auto lasted = event.numbers.find("before_us");
    if (event.kind != event::kStall || before == event.words.end() || before->second == "normal" ||
        lasted == event.numbers.end()) {
      continue;
    }
    const double since_start =
        seconds_between(calibration_.start()->database->agent_tick, event.at.tick);
    told_seconds_ +=
        std::clamp(static_cast<double>(lasted->second) / 1e6, 0.0, std::max(since_start, 0.0));
  }
}

Result<ValidationResult> Validation::finish(std::string_view rocksdb_version,
                                            std::size_t seeds) const {
  // No policy, and the speeds of jobs hold what waiting for the device there was.
  const auto input = calibration_.finish(rocksdb_version, {});
  if (!input) return tl::unexpected(input.error());
  ValidationResult result;
  result.laws = input->laws;
  result.demand_known_ratio = input->demand.known_ratio;
  result.recorded = recorded_;
  if (has_events_) result.recorded.stalled_seconds = told_seconds_;
  for (std::size_t seed = 0; seed < seeds; ++seed)
    result.simulated.push_back(simulated(*input, seed));
  return result;
}

}  // namespace rocktune::sim
