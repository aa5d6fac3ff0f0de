// device_saturation, for 3 s on the mean: the device has more requests in flight, or takes longer
// for each, than the objective allows; or its load is above 0.85 (model/device_load.h); or reads
// take 3 times as long as under light load while a longer queue brings no more throughput. %util is
// no saturation on NVMe and is not used.
#include <algorithm>

#include "model/assessment.h"
#include "model/probability.h"
#include "model/text.h"

namespace rocktune {
namespace {

// Saturation is a state that lasts: the mean over this time counts.
constexpr double kMeanSeconds = 3;
// The mean await of fewer requests than this is one request's accident.
constexpr double kFewestIops = 10;
// A learnt capacity is no more than the device did once. It says that the device is full only
// together with reads (or writes, where nothing reads) that wait: from here on, on the way to 3.
constexpr double kWaitingRatio = 2;

// Reads are what users wait for: their await counts where there are any. Large writes that the
// kernel gathered take long on an idle device, too, so they count only when nothing reads.
Value await_ms(const Features& features) {
  if (features.device_read_iops.value_or(0) >= kFewestIops) return features.device_read_await_ms;
  if (features.device_write_iops.value_or(0) >= kFewestIops) return features.device_write_await_ms;
  if (!features.device_read_iops && !features.device_write_iops) return std::nullopt;
  if (features.device_queue.value_or(0) < 1) return 0.0;  // an idle device
  // Few requests that are in flight all the time take long.
  return std::max(features.device_read_await_ms, features.device_write_await_ms);
}

// At its limit over the mean's time; the first readings after a start prove nothing.
bool saturated(const Trend& use) {
  return use.span_seconds() >= kMeanSeconds / 2 && use.mean(kMeanSeconds).value_or(0) >= 1;
}

// What the load's figure rests on.
std::string standing(const DeviceLoad& load) {
  const double correction = load.correction();
  if (load.origin() == DeviceLoad::Origin::kLearnt) return ", against what it was seen to do";
  if (correction > 1.1) return ", as it does less than when it was probed";
  if (correction < 0.9) return ", as it does more than when it was probed";
  return "";
}

Words limit_in(const std::optional<double>& eta) {
  if (!eta || !(*eta > 0)) return nullptr;
  return [eta] { return ": the limit in about " + text::duration(*eta); };
}

}  // namespace

void DeviceAssessor::clear_trends() {
  queue_.clear();
  await_.clear();
  load_use_.clear();
  waiting_reads_.clear();
}

void DeviceAssessor::clear() {
  clear_trends();
  load_.clear();
}

void DeviceAssessor::add_queue(const Features& features, const Objective& objective,
                               std::vector<Pressure>& out) {
  if (!features.device_queue || !(objective.device_queue_limit > 0)) return;
  queue_.add(features.at.tick, *features.device_queue / objective.device_queue_limit);
  double use = queue_.mean(kMeanSeconds).value_or(0);
  const auto eta = time_to_limit(use, queue_.slope());
  const auto sentence = [use, limit = objective.device_queue_limit] {
    return "the device has " + text::amount(use * limit) + " requests in flight (limit " +
           text::amount(limit) + ")";
  };
  out.push_back({"queue", use, eta, sentence, limit_in(eta), std::nullopt});
}

void DeviceAssessor::add_await(const Features& features, const Objective& objective,
                               std::vector<Pressure>& out) {
  Value await = await_ms(features);
  double limit_ms = objective.device_await_limit_seconds * 1e3;
  if (!await || !(limit_ms > 0)) return;
  await_.add(features.at.tick, *await / limit_ms);
  double use = await_.mean(kMeanSeconds).value_or(0);
  const auto eta = time_to_limit(use, await_.slope());
  const auto sentence = [use, limit_ms] {
    return "the device takes " + text::microseconds(use * limit_ms * 1e3) +
           " for a request (limit " + text::microseconds(limit_ms * 1e3) + ")";
  };
  out.push_back({"await", use, eta, sentence, limit_in(eta), std::nullopt});
}

void DeviceAssessor::add_load(const Features& features, std::vector<Pressure>& out) {
  if (!load_.rho()) {
    load_use_.clear();
    return;
  }
  double use_now = *load_.rho() / DeviceLoad::kLoadLimit;
  if (load_.origin() == DeviceLoad::Origin::kLearnt) {
    use_now = std::min(use_now, load_.await_ratio().value_or(0) / kWaitingRatio);
  }
  load_use_.add(features.at.tick, use_now);
  double use = load_use_.mean(kMeanSeconds).value_or(0);
  const auto eta = time_to_limit(use, load_use_.slope());
  const auto sentence = [this] {
    return "the device is " + text::percent(*load_.rho()) + " loaded" + standing(load_) +
           " (limit " + text::percent(DeviceLoad::kLoadLimit) + ")";
  };
  out.push_back({"load", use, eta, sentence, limit_in(eta), std::nullopt});
}

void DeviceAssessor::add_waiting_reads(const Features& features, std::vector<Pressure>& out) {
  const std::optional<double> ratio = load_.read_await_ratio();
  if (!ratio) {
    waiting_reads_.clear();
    return;
  }
  // Reads that take long while throughput still rises are no saturation, however long they take.
  waiting_reads_.add(features.at.tick,
                     load_.queue_is_useless() ? *ratio / DeviceLoad::kAwaitRatioLimit : 0);
  double use = waiting_reads_.mean(kMeanSeconds).value_or(0);
  if (!(use > 0)) return;
  // No time to the limit: what comes and goes with the queue has no course.
  const auto sentence = [ratio] {
    return "reads take " + text::amount(*ratio) +
           " times as long as under light load, and a longer queue brings no more throughput "
           "(limit " +
           text::amount(DeviceLoad::kAwaitRatioLimit) + " times)";
  };
  out.push_back({"await", use, std::nullopt, sentence, nullptr, std::nullopt});
}

Assessment DeviceAssessor::assess(const Features& features, const Objective& objective) {
  constexpr auto kKind = IndicatorKind::kDeviceSaturation;
  if (features.missed_polls > kLongestGapPolls) clear_trends();
  load_.update(features);
  std::vector<Pressure> pressures;
  pressures.reserve(4);
  add_queue(features, objective, pressures);
  add_await(features, objective, pressures);
  add_load(features, pressures);
  add_waiting_reads(features, pressures);
  if (pressures.empty()) {
    return unknown(kKind, kNoDeviceStatistics, objective.horizon_seconds);
  }
  bool event =
      saturated(queue_) || saturated(await_) || saturated(load_use_) || saturated(waiting_reads_);
  return rocktune::assess(kKind, pressures, event, objective.horizon_seconds);
}

std::vector<Candidate> DeviceAssessor::candidates(const Features& features,
                                                  const Objective& objective) const {
  const double await_limit_ms = objective.device_await_limit_seconds * 1e3;
  return strongest_first(
      {{"device_load", load_.rho(), DeviceLoad::kLoadLimit},
       {"device_read_await_ratio", load_.read_await_ratio(), DeviceLoad::kAwaitRatioLimit},
       {"device_queue", features.device_queue, objective.device_queue_limit},
       {"device_read_await_ms", features.device_read_await_ms, await_limit_ms},
       {"device_write_await_ms", features.device_write_await_ms, await_limit_ms},
       {"device_write_bytes_per_second", features.device_write_bytes_per_second},
       {"device_read_iops", features.device_read_iops},
       {"device_write_iops", features.device_write_iops}});
}

}  // namespace rocktune
