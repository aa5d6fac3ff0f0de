#include "bench/device/model.h"

#include <algorithm>
#include <cmath>

namespace rocktune::bench {
namespace {

// Over which time reads and writes count as mixed. Long against one request (0.3 ms for 128 KiB at
// 400 MB/s), short against the seconds that a tuner looks at.
constexpr double kMixingWindowSeconds = 0.020;

Nanoseconds from_seconds(double seconds) {
  return Nanoseconds(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

std::uint64_t to_ms(Nanoseconds time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count()) / 1'000'000);
}

}  // namespace

Nanoseconds DeviceModel::serve(IoKind kind, std::int64_t bytes, Nanoseconds start) {
  const bool read = kind == IoKind::kRead;
  const double bandwidth = read ? profile_.read_bytes_per_second : profile_.write_bytes_per_second;
  const double iops = read ? profile_.read_iops : profile_.write_iops;
  // The rated IOPS are of 4 KiB requests, whose transfer they contain.
  const double per_request = std::max(0.0, 1.0 / iops - 4096.0 / bandwidth);
  const double pure = static_cast<double>(bytes) / bandwidth + per_request;

  if (start > recent_at_) {
    const double decay = std::exp(-seconds_between(recent_at_, start) / kMixingWindowSeconds);
    for (double& share : recent_) share *= decay;
    recent_at_ = start;
  }
  const double other = recent_[read ? 1 : 0] / kMixingWindowSeconds;
  recent_[read ? 0 : 1] += pure;
  return from_seconds(pure * (1 + profile_.mixing_loss / 2 * other));
}

Nanoseconds DeviceModel::submit(IoKind kind, std::int64_t bytes, Nanoseconds now) {
  complete_until(now);
  const Nanoseconds start = std::max(now, free_at_);
  Nanoseconds completion = start;
  if (kind == IoKind::kSync) {
    completion += std::chrono::microseconds(profile_.sync_latency_us);
  } else {
    free_at_ = start + serve(kind, bytes, start);
    completion =
        free_at_ + std::chrono::microseconds(kind == IoKind::kRead ? profile_.read_latency_us
                                                                   : profile_.write_latency_us);
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
