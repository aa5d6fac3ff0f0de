#include "tools/probe_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rocktune::tools {
namespace {

constexpr std::int64_t kLong = 128 << 10;  // as RocksDB's compactions and flushes ask for, at least
constexpr std::int64_t kShort = 4096;
constexpr int kInFlight = 32;
constexpr double kFillShare = 1.0 / 3;
constexpr double kShortestStep = 0.5;  // s
constexpr std::array<int, 3> kReadPercents{75, 50, 25};

std::string size_word(std::int64_t bytes) {
  return bytes == kLong ? "128k" : "4k";
}

std::string mixed_name(std::int64_t bytes, int read_percent) {
  return "mixed_" + size_word(bytes) + "_" + std::to_string(read_percent);
}

Result<FioResult> find_step(const std::vector<MeasuredStep>& steps, const std::string& name) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const auto& s) { return s.name == name; });
  if (found != steps.end()) return found->result;
  return fail(ErrorCode::kNotFound, "step " + name + " was not measured");
}

// The capacity at which both sizes make a full load.
Result<DirectionCapacity> solve(double long_per_second, double short_per_second, const char* what) {
  if (!(long_per_second > 0) || !(short_per_second > 0)) {
    return fail(ErrorCode::kUnavailable, std::string("no ") + what + " were measured");
  }
  const double extra = 1 / long_per_second - 1 / short_per_second;  // seconds of the longer request
  if (!(extra > 0)) {
    return fail(ErrorCode::kUnsupported,
                std::string(what) +
                    " of 128 KiB in order take less time than those of 4 KiB anywhere: a disk that "
                    "seeks. Bytes and requests do not tell the load of such a device, so that no "
                    "profile of it helps");
  }
  return DirectionCapacity{static_cast<double>(kLong - kShort) / extra, short_per_second};
}

double share(const DirectionCapacity& capacity, const FioDirection& direction) {
  return capacity_share(capacity, direction.bytes_per_second, direction.requests_per_second);
}

// Least squares of u_r + u_w + eta * u_r * u_w = 1 over the points.
double fit_mixing_loss(const std::vector<MixedPoint>& points) {
  double product_left = 0;
  double product_squares = 0;
  for (const MixedPoint& point : points) {
    const double product = point.read_share * point.write_share;
    product_left += product * (1 - point.read_share - point.write_share);
    product_squares += product * product;
  }
  if (!(product_squares > 0)) return 0;
  return std::clamp(product_left / product_squares, kLeastMixingLoss, kMostMixingLoss);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

ProbeStep fill_step(std::int64_t file_bytes, bool direct, double seconds) {
  FioRun run{"write", 1 << 20, kInFlight, 0, seconds * kFillShare, false, direct, file_bytes};
  return {"fill", "the scratch file is written", run};
}

std::vector<ProbeStep> probe_steps(std::int64_t file_bytes, bool direct, double seconds) {
  std::vector<ProbeStep> steps;
  const auto add = [&](std::string name, std::string text, const char* pattern, std::int64_t bytes,
                       int in_flight, int read_percent) {
    FioRun run{pattern, bytes, in_flight, read_percent, 0, true, direct, file_bytes};
    steps.push_back({std::move(name), std::move(text), std::move(run)});
  };
  add("read_bandwidth", "reads of 128 KiB in order, 32 in flight", "read", kLong, kInFlight, 100);
  add("write_bandwidth", "writes of 128 KiB in order, 32 in flight", "write", kLong, kInFlight, 0);
  add("read_iops", "reads of 4 KiB anywhere, 32 in flight", "randread", kShort, kInFlight, 100);
  add("write_iops", "writes of 4 KiB anywhere, 32 in flight", "randwrite", kShort, kInFlight, 0);
  add("read_await", "reads of 4 KiB anywhere, one at a time", "randread", kShort, 1, 100);
  for (const std::int64_t bytes : {kLong, kShort}) {
    for (const int percent : kReadPercents) {
      add(mixed_name(bytes, percent),
          std::to_string(percent) + "% reads, " +
              (bytes == kLong ? "128 KiB in order" : "4 KiB anywhere") + ", 32 in flight",
          bytes == kLong ? "rw" : "randrw", bytes, kInFlight, percent);
    }
  }
  const double each =
      std::max(kShortestStep, seconds * (1 - kFillShare) / static_cast<double>(steps.size()));
  for (ProbeStep& step : steps) step.run.seconds = each;
  return steps;
}

Result<ProbeFit> fit_probe(const std::vector<MeasuredStep>& steps) {
  std::array<FioResult, 5> pure;
  const std::array<const char*, 5> names{"read_bandwidth", "write_bandwidth", "read_iops",
                                         "write_iops", "read_await"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto found = find_step(steps, names.at(i));
    if (!found) return tl::unexpected(found.error());
    pure.at(i) = *std::move(found);
  }
  const auto read =
      solve(pure[0].read.requests_per_second, pure[2].read.requests_per_second, "reads");
  if (!read) return tl::unexpected(read.error());
  const auto write =
      solve(pure[1].write.requests_per_second, pure[3].write.requests_per_second, "writes");
  if (!write) return tl::unexpected(write.error());
  if (!(pure[4].read.mean_us > 0)) {
    return fail(ErrorCode::kUnavailable, "no single reads were measured");
  }
  ProbeFit fit;
  for (const MeasuredStep& step : steps) {
    if (step.name.rfind("mixed_", 0) != 0) continue;
    fit.mixed.push_back(
        {step.name, share(*read, step.result.read), share(*write, step.result.write)});
  }
  const double loss = fit_mixing_loss(fit.mixed);
  std::vector<double> errors;
  errors.reserve(fit.mixed.size());
  for (const MixedPoint& point : fit.mixed) {
    errors.push_back(std::abs(mixed_load(point.read_share, point.write_share, loss) - 1));
  }
  fit.median_error = median(std::move(errors));
  fit.capacities = {*read, *write, loss, pure[4].read.mean_us / 1e6};
  return fit;
}

}  // namespace rocktune::tools
