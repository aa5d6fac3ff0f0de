#include "sim/validation.h"

#include <algorithm>
#include <utility>

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

double seconds_at(Nanoseconds tick) {
  return seconds_between(Nanoseconds{0}, tick);
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
  const bool compares = calibration_.add(sample);
  note_stalls(events);
  if (compares) compare(sample);
  if (sample.database) last_ = sample;
}

// A stall that comes and goes between two samples is in the events only.
void Validation::note_stalls(std::span<const DatabaseEvent> events) {
  for (const DatabaseEvent& event : events) {
    const auto condition = event.words.find("condition");
    if (event.kind != event::kStall || condition == event.words.end()) continue;
    const double at = seconds_at(event.at.tick);
    const std::pair stalled(event.incarnation, event.column_family);
    const auto since = stalled_since_.find(stalled);
    if (condition->second != "normal") {
      if (since == stalled_since_.end()) stalled_since_[stalled] = at;
    } else if (since != stalled_since_.end()) {
      told_.push_back({event.incarnation, since->second, at});
      stalled_since_.erase(since);
    } else if (const auto lasted = event.numbers.find("before_us"); lasted != event.numbers.end()) {
      told_.push_back({event.incarnation, at - static_cast<double>(lasted->second) / 1e6, at});
    }
  }
}

void Validation::compare(const Sample& sample) {
  const DatabaseReading& from = *last_->database;
  const DatabaseReading& to = *sample.database;
  const double interval = seconds_between(from.agent_tick, to.agent_tick);
  recorded_.seconds += interval;
  recorded_.keys_written += growth(from.keys_written, to.keys_written).value_or(0);
  recorded_.compaction_bytes_read +=
      growth(from.compaction_bytes_read, to.compaction_bytes_read).value_or(0);
  const double held = (is_held_back(*last_) ? 0.5 : 0) + (is_held_back(sample) ? 0.5 : 0);
  recorded_.stalled_seconds += held * interval;
  if (compared_.empty() || compared_.back().incarnation != sample.incarnation) {
    compared_.push_back({sample.incarnation, seconds_at(from.agent_tick), 0});
  }
  compared_.back().end = seconds_at(to.agent_tick);
}

// Their union, within what is compared: column families stall each other. Of a process that is
// killed in a stall no event tells the end: it is over when the database was last read.
double Validation::told_seconds() const {
  std::vector<Stall> stalls = told_;
  for (const auto& [whose, since] : stalled_since_) {
    for (const Part& part : compared_) {
      if (part.incarnation == whose.first) stalls.push_back({part.incarnation, since, part.end});
    }
  }
  std::sort(stalls.begin(), stalls.end(),
            [](const Stall& one, const Stall& other) { return one.begin < other.begin; });
  double sum = 0;
  for (const Part& part : compared_) {
    double until = part.begin;
    for (const Stall& stall : stalls) {
      if (stall.incarnation != part.incarnation) continue;
      const double end = std::min(stall.end, part.end);
      sum += std::max(end - std::max(stall.begin, until), 0.0);
      until = std::max(until, end);
    }
  }
  return sum;
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
  const bool told = !told_.empty() || !stalled_since_.empty();
  if (told) result.recorded.stalled_seconds = told_seconds();
  for (std::size_t seed = 0; seed < seeds; ++seed)
    result.simulated.push_back(simulated(*input, seed));
  return result;
}

}  // namespace rocktune::sim
