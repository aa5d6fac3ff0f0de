#include "model/device_load.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

constexpr double kUnitBytes = 65536;   // makes bytes comparable with requests, to learn from both
constexpr double kMostTraffic = 1e13;  // bytes or requests a second; more is a broken counter
constexpr double kMostLoad = 10;
// The await of fewer requests a second is one request's accident (as in model/device.cc).
constexpr double kFewestRequests = 10;
constexpr double kLightQueue = 2;    // up to it, the load is light
constexpr double kUselessQueue = 4;  // fewer in flight than this are no queue
constexpr double kLimitQueue = 8;    // to learn from
constexpr double kLimitSeconds = 5;
constexpr double kLongestGap = 10;        // s between readings that still belong together
constexpr double kWindowSeconds = 15;     // as of model/trend.h
constexpr std::size_t kFewestRising = 4;  // readings, to tell whether throughput rises
// How far the queue has to vary for that (standard deviation of its logarithm), and how much
// throughput has to follow: it is 1 on an idle device, and 0 at the limit.
constexpr double kLeastSpread = 0.1, kRisingElasticity = 0.3;
constexpr double kLearnSeconds = 1;  // between two steps
constexpr double kLearnStep = 0.2;  // of what is wrong at this reading; the first step takes it all
constexpr double kEnoughKnown = 0.5;    // of a direction, to use it
constexpr double kUsedDirection = 0.1;  // of the traffic: a smaller direction need not be known
// Degradation comes with heat and filling, over minutes.
constexpr double kCorrectionSeconds = 60;
constexpr double kLeastCorrected = 0.05;  // a load that small at the limit has another reason
constexpr double kLightRatio = 1.2;       // reads that take no longer than this wait for nothing

double in_seconds(Nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

bool enough(const Value& requests) {
  return requests && *requests >= kFewestRequests;
}

double squared(double x) {
  return x * x;
}

}  // namespace

DeviceLoad::DeviceLoad(const DeviceCapacities& capacities) : capacities_(capacities) {
  clear();
}

void DeviceLoad::clear() {
  light_reads_.clear();
  light_writes_.clear();
  if (capacities_.read_await_seconds) {
    light_reads_.know(kRatedRequestBytes, *capacities_.read_await_seconds * 1e3);
  }
  costs_ = {};
  known_ = {};
  const auto take = [&](const std::optional<DirectionCapacity>& capacity, std::size_t direction) {
    if (!capacity) return;
    costs_.at(2 * direction) = kUnitBytes / capacity->bytes_per_second;
    costs_.at(2 * direction + 1) = seconds_per_request(*capacity);
    known_.at(direction) = 1;
  };
  take(capacities_.read, 0);
  take(capacities_.write, 1);
  correction_ = 1;
  learnt_at_.reset();
  last_tick_.reset();
  restart_windows();
}

void DeviceLoad::restart_windows() {
  next_ = count_ = 0;
  at_limit_since_.reset();
  useless_ = false;
}

std::optional<DeviceLoad::Traffic> DeviceLoad::traffic_of(const Features& f) {
  Traffic traffic{};
  const std::array<const Value*, 4> values{&f.device_read_bytes_per_second, &f.device_read_iops,
                                           &f.device_write_bytes_per_second, &f.device_write_iops};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = *values.at(i);
    if (!value || !(*value >= 0 && *value <= kMostTraffic)) return std::nullopt;
    traffic.at(i) = i % 2 == 0 ? *value / kUnitBytes : *value;
  }
  return traffic;
}

void DeviceLoad::update(const Features& features) {
  const Nanoseconds tick = features.at.tick;
  const double elapsed = last_tick_ ? in_seconds(tick - *last_tick_) : 0;
  if (last_tick_ && !(elapsed > 0 && elapsed <= kLongestGap)) restart_windows();
  last_tick_ = tick;
  rho_.reset();
  read_ratio_.reset();
  ratio_.reset();
  origin_ = Origin::kAbsent;
  const std::optional<Traffic> traffic = traffic_of(features);
  const double queue = features.device_queue.value_or(-1);
  if (!traffic || !(queue >= 0 && queue <= kMostTraffic)) {
    why_absent_ = kNoDeviceStatistics;
    restart_windows();
    return;
  }
  learn_light(features, queue);
  compare_awaits(features);
  add_reading(tick, queue, (*traffic)[0] + (*traffic)[1] + (*traffic)[2] + (*traffic)[3]);
  useless_ = queue >= kUselessQueue && !throughput_rises();
  note_limit(*traffic, tick, queue);
  const bool at_limit = at_limit_since_ && in_seconds(tick - *at_limit_since_) >= kLimitSeconds;
  if (capacities_.read && capacities_.write) {
    correct(*traffic, std::clamp(elapsed, 0.0, kLongestGap), at_limit);
  } else if (at_limit && (!learnt_at_ || !(in_seconds(tick - *learnt_at_) < kLearnSeconds) ||
                          tick < *learnt_at_)) {
    learn_capacity(*traffic);
    learnt_at_ = tick;
  }
  tell(*traffic);
}

void DeviceLoad::learn_light(const Features& f, double queue) {
  if (queue > kLightQueue) return;
  const auto learn = [](LightAwait& light, const Value& bytes, const Value& requests,
                        const Value& await_ms) {
    if (enough(requests) && await_ms) light.learn(*bytes / *requests, *await_ms);
  };
  learn(light_reads_, f.device_read_bytes_per_second, f.device_read_iops, f.device_read_await_ms);
  learn(light_writes_, f.device_write_bytes_per_second, f.device_write_iops,
        f.device_write_await_ms);
}

void DeviceLoad::compare_awaits(const Features& f) {
  const auto ratio = [](const LightAwait& light, const Value& bytes, const Value& requests,
                        const Value& await_ms) -> std::optional<double> {
    if (!enough(requests) || !await_ms || !std::isfinite(*await_ms)) return std::nullopt;
    const std::optional<double> idle = light.ms(*bytes / *requests);
    if (!idle || !(*idle > 0)) return std::nullopt;
    return std::clamp(*await_ms / *idle, 0.0, 1e6);
  };
  read_ratio_ = ratio(light_reads_, f.device_read_bytes_per_second, f.device_read_iops,
                      f.device_read_await_ms);
  ratio_ = enough(f.device_read_iops) ? read_ratio_
                                      : ratio(light_writes_, f.device_write_bytes_per_second,
                                              f.device_write_iops, f.device_write_await_ms);
}

void DeviceLoad::add_reading(Nanoseconds tick, double queue, double work) {
  if (!(queue > 0) || !(work > 0)) return;
  readings_.at(next_) = {tick, std::log(queue), std::log(work)};
  next_ = (next_ + 1) % readings_.size();
  count_ = std::min(count_ + 1, readings_.size());
}

// Of the readings whose queue was at least half of the present one's: how throughput went with it.
bool DeviceLoad::throughput_rises() const {
  if (count_ == 0) return false;
  const Reading& newest = readings_.at((next_ + readings_.size() - 1) % readings_.size());
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Reading& reading = readings_.at(i);
    if (in_seconds(newest.tick - reading.tick) > kWindowSeconds) continue;
    const double x = reading.log_queue - newest.log_queue;
    const double y = reading.log_work - newest.log_work;
    if (x < -std::log(2)) continue;
    n += 1;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const double spread = sum_xx / n - squared(sum_x / n);
  if (n < kFewestRising || !(spread >= squared(kLeastSpread))) return false;
  return (sum_xy / n - sum_x / n * sum_y / n) / spread > kRisingElasticity;
}

// Since when the device has been at its limit.
void DeviceLoad::note_limit(const Traffic& traffic, Nanoseconds tick, double queue) {
  const bool at_limit = useless_ && queue >= kLimitQueue && ratio_ && *ratio_ >= kAwaitRatioLimit &&
                        traffic[1] + traffic[3] >= kFewestRequests;
  if (!at_limit) {
    at_limit_since_.reset();
  } else if (!at_limit_since_) {
    at_limit_since_ = tick;
  }
}

// One step of Kaczmarz's method: the costs nearest to the present ones at which this reading makes
// a full load. Those of a direction that is new take all of the step; later, every learnt one takes
// a part of it. What was probed stays.
void DeviceLoad::learn_capacity(const Traffic& traffic) {
  const std::array<bool, 2> learns{!capacities_.read, !capacities_.write};
  const std::array<double, 2> squares{squared(traffic[0]) + squared(traffic[1]),
                                      squared(traffic[2]) + squared(traffic[3])};
  const auto is_new = [&](std::size_t direction) {
    return learns.at(direction) && known_.at(direction) < kEnoughKnown &&
           squares.at(direction) > squared(kUsedDirection) * (squares[0] + squares[1]);
  };
  const bool any_new = is_new(0) || is_new(1);
  const std::array<bool, 2> moves{any_new ? is_new(0) : learns[0], any_new ? is_new(1) : learns[1]};
  const double norm = (moves[0] ? squares[0] : 0) + (moves[1] ? squares[1] : 0);
  if (!(norm > 0)) return;
  const double step = (any_new ? 1 : kLearnStep) * (1 - raw_load(traffic)) / norm;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    if (moves.at(i / 2)) costs_.at(i) = std::max(0.0, costs_.at(i) + step * traffic.at(i));
  }
  for (const std::size_t direction : {std::size_t{0}, std::size_t{1}}) {
    if (!moves.at(direction)) continue;
    known_.at(direction) = std::min(1.0, known_.at(direction) + squares.at(direction) / norm);
  }
}

void DeviceLoad::correct(const Traffic& traffic, double elapsed_seconds, bool at_limit) {
  const double raw = raw_load(traffic);
  if (!(raw > kLeastCorrected)) return;
  const bool light = read_ratio_ && *read_ratio_ < kLightRatio;
  double wanted = correction_;
  if (at_limit) {
    wanted = 1 / raw;
  } else if (light && correction_ * raw > kLoadLimit) {
    wanted = kLoadLimit / raw;
  }
  wanted = std::clamp(wanted, kLeastCorrection, kMostCorrection);
  correction_ += (1 - std::exp(-elapsed_seconds / kCorrectionSeconds)) * (wanted - correction_);
}

double DeviceLoad::raw_load(const Traffic& traffic) const {
  const double read_share = costs_[0] * traffic[0] + costs_[1] * traffic[1];
  const double write_share = costs_[2] * traffic[2] + costs_[3] * traffic[3];
  const double load =
      mixed_load(read_share, write_share, capacities_.mixing_loss.value_or(kUsualMixingLoss));
  return std::isfinite(load) ? std::min(load, 1e6) : 1e6;
}

void DeviceLoad::tell(const Traffic& traffic) {
  const std::array<double, 2> work{traffic[0] + traffic[1], traffic[2] + traffic[3]};
  const auto counts = [&](std::size_t direction) {
    return work.at(direction) > kUsedDirection * (work[0] + work[1]);
  };
  const auto known = [&](std::size_t direction) { return known_.at(direction) >= kEnoughKnown; };
  why_absent_ = nullptr;
  if (!known(0) && !known(1)) {
    why_absent_ = "the device was not probed, nor seen at its limit yet";
  } else if (counts(0) && !known(0)) {
    why_absent_ = "it was not probed, nor seen yet, how much the device can read";
  } else if (counts(1) && !known(1)) {
    why_absent_ = "it was not probed, nor seen yet, how much the device can write";
  }
  if (why_absent_ != nullptr) return;
  rho_ = std::min(correction_ * raw_load(traffic), kMostLoad);
  const bool learnt = (counts(0) && !capacities_.read) || (counts(1) && !capacities_.write);
  const bool any_probed = capacities_.read || capacities_.write;
  origin_ = learnt || !any_probed ? Origin::kLearnt : Origin::kProbed;
}

}  // namespace rocktune
