#include "bench/device/fit.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "bench/device/least_squares.h"
#include "model/device_capacities.h"

namespace rocktune::bench {
namespace {

constexpr std::size_t kFewestPoints = 30;  // 11 parameters and two for each request size
// An error beyond this counts linearly rather than by its square (pseudo-Huber).
constexpr double kLargeError = 0.1;
// How far the parameters are drawn to their guesses: where the points say nothing, they stay.
constexpr double kTrustInGuess = 0.03;

// Device time of one check: the warm-up is ten mixing windows, or a second's fifth.
constexpr double kPointWarmUpSeconds = 0.2;
constexpr double kMeasuredSeconds = 0.5;

// The parameters' places in the vector of logarithms; the latencies of each size follow.
enum Parameter : Eigen::Index {
  kReadRate,
  kReadRequests,
  kWriteRate,
  kWriteRequests,
  kMixingLoss,
  kLoad,
  kReadWeight,
  kWriteGrowth,
  kWriteGrowthHalf,
  kHost,
  kFirstLatency
};

using RequestSizes = std::vector<std::int64_t>;

RequestSizes request_sizes(const std::vector<MeasuredPoint>& points) {
  std::set<std::int64_t> sizes;
  for (const MeasuredPoint& point : points) sizes.insert(point.load.request_bytes);
  return {sizes.begin(), sizes.end()};
}

DeviceFit from_parameters(const Eigen::VectorXd& logs, const RequestSizes& sizes,
                          std::int64_t write_buffer_bytes) {
  const auto value = [&](Eigen::Index i) { return std::exp(logs[i]); };
  DeviceFit fit;
  scenario::DeviceProfile& profile = fit.profile;
  profile.read_bytes_per_second = value(kReadRate);
  profile.write_bytes_per_second = value(kWriteRate);
  // Rated IOPS contain the transfer of 4 KiB.
  profile.read_iops = 1 / (1 / value(kReadRequests) + 4096 / value(kReadRate));
  profile.write_iops = 1 / (1 / value(kWriteRequests) + 4096 / value(kWriteRate));
  profile.mixing_loss = value(kMixingLoss);
  profile.write_buffer_bytes = write_buffer_bytes;
  profile.read_latency_growth = {value(kLoad), value(kReadWeight), value(kWriteGrowth),
                                 value(kWriteGrowthHalf)};
  const auto count = static_cast<Eigen::Index>(sizes.size());
  profile.read_latency_us = value(kFirstLatency);
  profile.write_latency_us = value(kFirstLatency + count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::int64_t bytes = sizes[static_cast<std::size_t>(i)];
    if (bytes <= 4096) continue;
    profile.larger_read_latency_us.push_back({bytes, value(kFirstLatency + i)});
    profile.larger_write_latency_us.push_back({bytes, value(kFirstLatency + count + i)});
  }
  profile.max_request_bytes = std::max<std::int64_t>(4096, sizes.back());
  fit.host_us_per_request = value(kHost);
  return fit;
}

// The best that pure reads (or writes) did, as the points have it.
struct Best {
  double bytes_per_second = 0;
  double requests_per_second = 0;
};

Best best_of(const std::vector<MeasuredPoint>& points, double read_share) {
  Best best;
  for (const MeasuredPoint& point : points) {
    if (point.load.read_share != read_share) continue;
    const double requests = point.requests_per_second();
    best.requests_per_second = std::max(best.requests_per_second, requests);
    best.bytes_per_second =
        std::max(best.bytes_per_second, requests * static_cast<double>(point.load.request_bytes));
  }
  return best;
}

// The shortest time in flight of pure reads (or writes) of this size, or of any; microseconds.
double least_latency_us(const std::vector<MeasuredPoint>& points, double read_share,
                        std::int64_t bytes) {
  double least = 1e6;
  for (const MeasuredPoint& point : points) {
    if (point.load.read_share != read_share || point.load.request_bytes != bytes) continue;
    least = std::min(least, point.load.in_flight() / point.requests_per_second() * 1e6);
  }
  return least < 1e6 ? least : 100;
}

Eigen::VectorXd first_guess(const std::vector<MeasuredPoint>& points, const RequestSizes& sizes) {
  const Best reads = best_of(points, 1);
  const Best writes = best_of(points, 0);
  double per_job = 0;
  for (const MeasuredPoint& point : points) {
    per_job = std::max(per_job, point.requests_per_second() / static_cast<double>(point.load.jobs));
  }
  const auto count = static_cast<Eigen::Index>(sizes.size());
  Eigen::VectorXd guess(kFirstLatency + 2 * count);
  guess[kReadRate] = reads.bytes_per_second;
  guess[kReadRequests] = 2 * reads.requests_per_second;
  guess[kWriteRate] = writes.bytes_per_second;
  guess[kWriteRequests] = 2 * writes.requests_per_second;
  // Of the order that the public points and warning figures of other drives have.
  guess[kMixingLoss] = 0.6;
  guess[kLoad] = 3;
  guess[kReadWeight] = 0.3;
  guess[kWriteGrowth] = 0.3;
  guess[kWriteGrowthHalf] = 0.01;
  guess[kHost] = 1e6 / per_job;  // no more, or the fastest job could not have been
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::int64_t bytes = sizes[static_cast<std::size_t>(i)];
    guess[kFirstLatency + i] = least_latency_us(points, 1, bytes);
    guess[kFirstLatency + count + i] = least_latency_us(points, 0, bytes);
  }
  return guess.array().log();
}

ClosedLoad load_of(const DeviceFit& fit, const MeasuredPoint& point) {
  ClosedLoad load = point.load;
  load.host_us_per_request = fit.host_us_per_request;
  return load;
}

// Half the square of what this returns is pseudo-Huber's loss.
double softened(double error) {
  const double scaled = error / kLargeError;
  return std::copysign(kLargeError * std::sqrt(2 * (std::sqrt(1 + scaled * scaled) - 1)), error);
}

Result<void> check_enough(const std::vector<MeasuredPoint>& points) {
  std::size_t mixed = 0;
  for (const MeasuredPoint& point : points) mixed += point.mixed() ? 1 : 0;
  if (points.size() >= kFewestPoints && mixed > 0 && best_of(points, 1).requests_per_second > 0 &&
      best_of(points, 0).requests_per_second > 0) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              std::to_string(points.size()) + " points to fit to, " + std::to_string(mixed) +
                  " of them mixed: give at least " + std::to_string(kFewestPoints) +
                  ", with pure reads (read_percent 100), pure writes (0) and mixed ones");
}

}  // namespace

Result<DeviceFit> fit_device(const std::vector<MeasuredPoint>& points,
                             std::int64_t write_buffer_bytes) {
  if (auto enough = check_enough(points); !enough) return tl::unexpected(enough.error());
  const RequestSizes sizes = request_sizes(points);
  const Eigen::VectorXd guess = first_guess(points, sizes);
  const auto count = static_cast<Eigen::Index>(points.size());
  const Residuals residuals = [&](const Eigen::VectorXd& logs) {
    const DeviceFit fit = from_parameters(logs, sizes, write_buffer_bytes);
    Eigen::VectorXd out(count + logs.size());
    for (Eigen::Index i = 0; i < count; ++i) {
      const MeasuredPoint& point = points[static_cast<std::size_t>(i)];
      const double expected = expected_requests_per_second(fit.profile, load_of(fit, point));
      out[i] = softened(std::log(expected / point.requests_per_second()));
    }
    out.tail(logs.size()) = kTrustInGuess * (logs - guess);
    return out;
  };
  return from_parameters(least_squares(residuals, guess), sizes, write_buffer_bytes);
}

std::vector<bool> held_out(const std::vector<MeasuredPoint>& points, std::uint64_t seed,
                           std::uint64_t parts, std::uint64_t part) {
  std::vector<std::size_t> mixed;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].mixed()) mixed.push_back(i);
  }
  // std::shuffle differs between standard libraries.
  std::mt19937_64 random(seed);
  for (std::size_t left = mixed.size(); left > 1; --left) {
    std::swap(mixed[left - 1], mixed[random() % left]);
  }
  std::vector<bool> out(points.size(), false);
  for (std::size_t i = 0; i < mixed.size(); ++i) out[mixed[i]] = i % parts == part;
  return out;
}

double formula_error(const DeviceFit& fit, const MeasuredPoint& point) {
  const double expected = expected_requests_per_second(fit.profile, load_of(fit, point));
  return std::abs(expected / point.requests_per_second() - 1);
}

double model_error(const DeviceFit& fit, const MeasuredPoint& point) {
  const ClosedThroughput emulated =
      run_closed_loop(fit.profile, load_of(fit, point), kPointWarmUpSeconds, kMeasuredSeconds);
  return std::abs(emulated.requests_per_second() / point.requests_per_second() - 1);
}

double load_error(const DeviceFit& fit, const MeasuredPoint& point) {
  const scenario::DeviceProfile& profile = fit.profile;
  const auto share = [&](double bytes_per_second, double iops, double requests) {
    return capacity_share({bytes_per_second, iops},
                          requests * static_cast<double>(point.load.request_bytes), requests);
  };
  const double u_r =
      share(profile.read_bytes_per_second, profile.read_iops, point.reads_per_second);
  const double u_w =
      share(profile.write_bytes_per_second, profile.write_iops, point.writes_per_second);
  return std::abs(mixed_load(u_r, u_w, profile.mixing_loss) - 1);
}

ErrorSummary summarise(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(errors.size() - 1)))];
  };
  return {errors.size(), at(0.5), at(0.9), errors.back()};
}

}  // namespace rocktune::bench
