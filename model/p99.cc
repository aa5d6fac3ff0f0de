// p99: the P99 of reads or writes over an interval breaks its SLO.
#include <cmath>

#include "model/assessment.h"
#include "model/heads/observer.h"
#include "model/probability.h"
#include "model/text.h"

namespace rocktune {
namespace {

// The median over this time stands for "now": one slow poll is no broken SLO.
constexpr double kNowSeconds = 1.5;
// An older value does not speak for the present.
constexpr double kOldestSeconds = 5;
// Operations a second that would be timed, if any were.
constexpr double kManyOperations = 10;

// `log_slope`: where it rises towards its limit.
std::string p99_sentence(const char* name, double p99_us, double slo_us,
                         const std::optional<double>& log_slope) {
  const std::string now = text::microseconds(p99_us), limit = text::microseconds(slo_us);
  std::string sentence = std::string(name) + " P99 is " + now;
  if (p99_us >= slo_us) {
    return sentence + (now == limit ? ", just above its limit" : ", above its limit of " + limit);
  }
  sentence += " of " + limit;
  if (log_slope) sentence += " and rises " + text::percent(std::expm1(*log_slope)) + " per second";
  return sentence;
}

}  // namespace

void P99Assessor::clear() {
  read_.log_use.clear();
  write_.log_use.clear();
}

void P99Assessor::add(Operation& operation, const char* name, const Value& p99_us, const Value& ops,
                      double slo_seconds, const Features& features, std::vector<Pressure>& out) {
  double slo_us = slo_seconds * 1e6;
  const auto use = log_p99_use(p99_us, ops, features.interval_seconds, slo_seconds);
  if (use) operation.log_use.add(features.at.tick, *use);
  operation.log_use.expire(features.at.tick);
  std::optional<double> age = operation.log_use.age_seconds(features.at.tick);
  if (!age || *age > kOldestSeconds) return;
  double log_use = operation.log_use.median(kNowSeconds).value_or(0);
  Pressure& pressure = out.emplace_back();
  pressure.cause = name;
  pressure.use = std::exp(log_use);
  std::optional<double> slope = operation.log_use.slope();
  if (log_use >= 0) {
    pressure.eta_seconds = 0;
  } else if (slope && *slope > 0 && -log_use / *slope < 3600) {
    pressure.eta_seconds = -log_use / *slope;
  }
  const double now_us = pressure.use * slo_us;
  if (!pressure.eta_seconds) slope.reset();
  pressure.sentence = [=] { return p99_sentence(name, now_us, slo_us, slope); };
  if (now_us >= slo_us || !slope) return;
  pressure.outlook = [eta = *pressure.eta_seconds] {
    return ": it breaks its limit in about " + text::duration(eta);
  };
}

Assessment P99Assessor::assess(const Features& features, const Objective& objective) {
  constexpr auto kKind = IndicatorKind::kP99;
  if (!features.fresh) {
    return unknown(kKind, "the agent was not read", objective.horizon_seconds);
  }
  if (features.missed_polls > kLongestGapPolls) clear();
  std::vector<Pressure> pressures;
  pressures.reserve(2);
  add(read_, "read", features.read_p99_us, features.reads_per_second, objective.read_p99_seconds,
      features, pressures);
  add(write_, "write", features.write_p99_us, features.writes_per_second,
      objective.write_p99_seconds, features, pressures);
  if (pressures.empty()) {
    const double done =
        features.reads_per_second.value_or(0) + features.writes_per_second.value_or(0);
    const bool untimed = done >= kManyOperations && !features.read_p99_us && !features.write_p99_us;
    return unknown(kKind,
                   untimed ? "RocksDB's statistics time no operations (their stats_level)"
                           : "too few reads and writes were timed in the last 5 s",
                   objective.horizon_seconds);
  }
  bool event = false;
  for (const Pressure& pressure : pressures) event = event || pressure.use >= 1;
  return rocktune::assess(kKind, pressures, event, objective.horizon_seconds);
}

std::vector<Candidate> P99Assessor::candidates(const Features& features,
                                               const Objective& objective) {
  return strongest_first(
      {{"read_p99_us", features.read_p99_us, objective.read_p99_seconds * 1e6},
       {"write_p99_us", features.write_p99_us, objective.write_p99_seconds * 1e6},
       {"l0_files", features.l0_files, features.l0_slowdown_files},
       {"device_queue", features.device_queue, objective.device_queue_limit},
       {"stalled_ratio", features.stalled_ratio}});
}

}  // namespace rocktune
