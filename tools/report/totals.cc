#include "tools/report/totals.h"

#include <algorithm>

namespace rocktune::tools {

Value held_back_ratio(const Features& features) {
  if (!features.write_stopped) return features.stalled_ratio;
  if (*features.write_stopped > 0 || features.delayed_bytes_per_second) return 1;
  return features.stalled_ratio.value_or(0);
}

void Known::add(const Value& rate, double interval_seconds) {
  if (!rate || interval_seconds <= 0) return;
  most = seconds == 0 ? *rate : std::max(most, *rate);
  amount += *rate * interval_seconds;
  seconds += interval_seconds;
}

std::optional<double> Known::mean() const {
  return seconds > 0 ? std::optional(amount / seconds) : std::nullopt;
}

void LatencyTotal::add(const std::optional<LatencyHistogram>& reading, bool reset,
                       const Value& p99_us, double slo_seconds, double interval_seconds) {
  if (reset) first_.reset();
  if (reading) {
    if (!first_) first_ = reading;
    last_ = reading;
  }
  if (p99_us) above_.add(*p99_us > slo_seconds * 1e6 ? 1.0 : 0.0, interval_seconds);
}

Value LatencyTotal::p99_us() const {
  return first_ && last_ ? interval_quantile_us(*first_, *last_, 0.99) : std::nullopt;
}

void Totals::add_sample(const Sample& sample, const Features& features,
                        const Objective& objective) {
  if (!first_tick_) {
    first_tick_ = sample.at.tick;
    first_sequence_ = sample.sequence;
    first_wall = sample.at.wall;
  }
  last_wall = sample.at.wall;
  seconds = seconds_between(*first_tick_, sample.at.tick);
  due = sample.sequence - *first_sequence_ + 1;
  if (features.reset) ++reopened;
  if (!sample.database) return;
  ++samples;
  const double interval = features.interval_seconds;
  reads.add(features.reads_per_second, interval);
  writes.add(features.writes_per_second, interval);
  seeks.add(features.seeks_per_second, interval);
  user_bytes.add(features.user_write_bytes_per_second, interval);
  flushed_bytes.add(features.flush_bytes_per_second, interval);
  compacted_bytes.add(features.compaction_write_bytes_per_second, interval);
  held_back.add(held_back_ratio(features), interval);
  device_busy.add(features.device_busy_ratio, interval);
  read.add(sample.database->read_latency, features.reset, features.read_p99_us,
           objective.read_p99_seconds, interval);
  write.add(sample.database->write_latency, features.reset, features.write_p99_us,
            objective.write_p99_seconds, interval);
}

void Totals::add_event(const DatabaseEvent& event) {
  if (event.kind != event::kStall) return;
  const auto condition = event.words.find("condition");
  if (condition == event.words.end() || condition->second == "normal") return;
  const auto cause = event.words.find("cause");
  ++stalls[cause == event.words.end() || cause->second.empty() ? "unknown" : cause->second];
}

}  // namespace rocktune::tools
