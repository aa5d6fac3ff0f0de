#include "tools/fio.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace rocktune::tools {
namespace {

using nlohmann::json;

double finite_at(const json& object, const char* key) {
  const auto value = object.at(key).get<double>();
  if (!std::isfinite(value) || value < 0) throw std::invalid_argument(std::string(key) + " is odd");
  return value;
}

FioDirection direction(const json& object) {
  FioDirection out;
  out.bytes_per_second = finite_at(object, "bw_bytes");
  out.requests_per_second = finite_at(object, "iops");
  out.mean_us = finite_at(object.at("lat_ns"), "mean") / 1e3;
  out.bytes = static_cast<std::int64_t>(finite_at(object, "io_bytes"));
  // Absent samples (a run shorter than one) say nothing about the spread.
  const double mean = object.value("iops_mean", 0.0);
  if (mean > 0) out.spread_ratio = object.value("iops_stddev", 0.0) / mean;
  return out;
}

}  // namespace

std::vector<std::string> fio_arguments(const std::string& program, const FioRun& run) {
  std::vector<std::string> out{
      program, "--name=probe", "--filename=/proc/self/fd/3",
      "--size=" + std::to_string(run.file_bytes), "--rw=" + run.pattern,
      "--bs=" + std::to_string(run.request_bytes), "--iodepth=" + std::to_string(run.in_flight),
      // Buffered I/O blocks its submitter: it is the same with any engine.
      "--ioengine=libaio", std::string("--direct=") + (run.direct ? "1" : "0"),
      "--runtime=" + std::to_string(std::lround(run.seconds * 1e3)) + "ms",
      // Random offsets need no map of those that were.
      "--norandommap", "--randrepeat=0",
      // What compresses well would flatter some drives.
      "--refill_buffers", "--allow_file_create=0", "--fallocate=none", "--thread",
      "--bwavgtime=100", "--iopsavgtime=100", "--eta=never", "--output-format=json"};
  if (run.timed) out.emplace_back("--time_based");
  if (run.pattern == "rw" || run.pattern == "randrw") {
    out.push_back("--rwmixread=" + std::to_string(run.read_percent));
  }
  return out;
}

Result<FioResult> parse_fio(const std::string& output) {
  const std::size_t begin = output.find('{');
  if (begin == std::string::npos) return fail(ErrorCode::kCorrupt, "fio wrote no JSON");
  try {
    const json root = json::parse(output.substr(begin));
    const json& job = root.at("jobs").at(0);
    const int error = job.at("error").get<int>();
    if (error != 0) {
      return fail(ErrorCode::kUnavailable, "fio reports error " + std::to_string(error));
    }
    return FioResult{root.at("fio version").get<std::string>(), direction(job.at("read")),
                     direction(job.at("write"))};
  } catch (const std::exception& problem) {
    return fail(ErrorCode::kCorrupt, std::string("fio's JSON: ") + problem.what());
  }
}

}  // namespace rocktune::tools
