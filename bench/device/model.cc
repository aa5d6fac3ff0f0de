#include "bench/device/model.h"

#include <algorithm>
#include <cmath>

#include "bench/time/clock.h"
#include "model/device_capacities.h"

namespace rocktune::bench {
namespace {

// Over which time reads and writes count as mixed. Long against one request (0.3 ms for 128 KiB at
// 400 MB/s), short against the seconds that a tuner looks at.
constexpr double kMixingWindowSeconds = 0.020;

std::uint64_t to_ms(Nanoseconds time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count()) / 1'000'000);
}

// The steepest that a read's latency grows: at rho = 1 by 21 times `load`. Fitted to 180 public fio
// points (rocktune-bench device fit), 1.01 to 1.08 came out, with nothing to choose between them.
constexpr double kLoadLimit = 1.05;

// Between two sizes the latency is interpolated over the logarithm of the size: each doubling adds
// as much.
double interpolated(double smallest_us, const std::vector<scenario::SizedLatency>& larger,
                    std::int64_t bytes) {
  scenario::SizedLatency below{4096, smallest_us};
  for (const scenario::SizedLatency& above : larger) {
    if (bytes < above.bytes) {
      if (bytes <= below.bytes) break;
      const double way =
          std::log(static_cast<double>(bytes) / static_cast<double>(below.bytes)) /
          std::log(static_cast<double>(above.bytes) / static_cast<double>(below.bytes));
      return below.latency_us + way * (above.latency_us - below.latency_us);
    }
    below = above;
  }
  return below.latency_us;
}

}  // namespace

double pure_service_seconds(const scenario::DeviceProfile& profile, IoKind kind,
                            std::int64_t bytes) {
  if (kind == IoKind::kSync) return 0;
  const DirectionCapacity capacity =
      kind == IoKind::kRead ? DirectionCapacity{profile.read_bytes_per_second, profile.read_iops}
                            : DirectionCapacity{profile.write_bytes_per_second, profile.write_iops};
  return capacity_share(capacity, static_cast<double>(bytes), 1);
}

double idle_latency_us(const scenario::DeviceProfile& profile, IoKind kind, std::int64_t bytes) {
  switch (kind) {
    case IoKind::kRead:
      return interpolated(profile.read_latency_us, profile.larger_read_latency_us, bytes);
    case IoKind::kWrite:
      return interpolated(profile.write_latency_us, profile.larger_write_latency_us, bytes);
    case IoKind::kSync:
      break;
  }
  return static_cast<double>(profile.sync_latency_us);
}

double read_latency_factor(const scenario::ReadLatencyGrowth& growth, double read_share,
                           double write_share) {
  const double rho = std::min(1.0, write_share + growth.read_weight * read_share);
  double factor = 1 + growth.load * rho / (1 - rho / kLoadLimit);
  if (growth.writes > 0 && write_share > 0) {
    factor += growth.writes * write_share / (write_share + growth.writes_half);
  }
  return factor;
}

DeviceModel::DeviceModel(const scenario::DeviceProfile& profile)
    : profile_(profile), cache_(profile.write_cache), buffer_(profile.write_buffer_bytes) {}

void DeviceModel::begin(Nanoseconds now) {
  begun_ = now;
  degraded_ = 0;
  rates_ = 1;
}

void DeviceModel::degrade(Nanoseconds now) {
  if (!begun_) begun_ = now;
  while (degraded_ < profile_.degradation.size() &&
         seconds_between(*begun_, now) >= profile_.degradation[degraded_].after_seconds) {
    rates_ = profile_.degradation[degraded_++].rates;
  }
}

double DeviceModel::service_seconds(IoKind kind, std::int64_t bytes, Nanoseconds start) {
  double seconds = pure_service_seconds(profile_, kind, bytes);
  if (kind == IoKind::kWrite && !cache_.take(bytes, start, rates_)) {
    // Behind the cache the transfer is slower, the cost of a request the same.
    seconds += static_cast<double>(bytes) * (1 / profile_.write_cache.behind_bytes_per_second -
                                             1 / profile_.write_bytes_per_second);
  }
  return seconds / rates_;
}

Nanoseconds DeviceModel::serve(IoKind kind, std::int64_t bytes, Nanoseconds start) {
  degrade(start);
  const double pure = service_seconds(kind, bytes, start);
  if (start > recent_at_) {
    const double decay = std::exp(-seconds_between(recent_at_, start) / kMixingWindowSeconds);
    for (double& share : recent_) share *= decay;
    recent_at_ = start;
  }
  const std::array<double, 2> shares{recent_[0] / kMixingWindowSeconds,
                                     recent_[1] / kMixingWindowSeconds};
  const std::size_t own = kind == IoKind::kRead ? 0 : 1;
  recent_[own] += pure;
  free_at_ = start + from_seconds(pure * (1 + profile_.mixing_loss / 2 * shares[1 - own]));
  double latency = idle_latency_us(profile_, kind, bytes) / 1e6;
  if (kind == IoKind::kRead) {
    latency *= read_latency_factor(profile_.read_latency_growth, shares[0], shares[1]);
  }
  return from_seconds(latency);
}

Nanoseconds DeviceModel::submit(IoKind kind, std::int64_t bytes, Nanoseconds now) {
  complete_until(now);
  const Nanoseconds start = std::max(now, free_at_);
  Nanoseconds completion = start;
  if (kind == IoKind::kSync) {
    completion += std::chrono::microseconds(profile_.sync_latency_us);
  } else {
    const Nanoseconds latency = serve(kind, bytes, start);
    completion = latency + (kind == IoKind::kWrite ? buffer_.take(bytes, now, free_at_) : free_at_);
  }
  busy_ += std::max(Nanoseconds{0}, completion - std::max(now, busy_until_));
  busy_until_ = std::max(busy_until_, completion);
  outstanding_.push({completion, now, kind, bytes});
  return completion;
}

void DeviceModel::complete_until(Nanoseconds now) {
  while (!outstanding_.empty() && outstanding_.top().completion <= now) {
    const Request& request = outstanding_.top();
    const Nanoseconds took = request.completion - request.arrival;
    const auto sectors = static_cast<std::uint64_t>((request.bytes + 511) / 512);
    switch (request.kind) {
      case IoKind::kRead:
        done_.read_ios++;
        done_.read_sectors += sectors;
        read_time_ += took;
        break;
      case IoKind::kWrite:
        done_.write_ios++;
        done_.write_sectors += sectors;
        write_time_ += took;
        break;
      case IoKind::kSync:
        done_.flush_ios++;
        sync_time_ += took;
        break;
    }
    outstanding_.pop();
  }
}

BlockStat DeviceModel::stat(Nanoseconds now) {
  complete_until(now);
  BlockStat out = done_;
  out.in_flight = outstanding_.size();
  out.read_ms = to_ms(read_time_);
  out.write_ms = to_ms(write_time_);
  out.flush_ms = to_ms(sync_time_);
  out.busy_ms = to_ms(busy_ - std::max(Nanoseconds{0}, busy_until_ - now));
  out.queue_ms = to_ms(read_time_ + write_time_ + sync_time_);
  return out;
}

}  // namespace rocktune::bench
