// One run of fio (https://github.com/axboe/fio) on the scratch file: its command line, and what its
// JSON says. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

struct FioRun {
  std::string pattern;  // fio's `rw`: "read", "randread", "randrw", ...
  std::int64_t request_bytes = 4096;
  int in_flight = 32;
  int read_percent = 100;  // of mixed patterns
  double seconds = 5;      // at most, or exactly when `timed`
  bool timed = true;       // false: ends with the file's end
  bool direct = true;      // past the page cache
  std::int64_t file_bytes = 0;
};

// `program` on the file that it gets as descriptor 3.
std::vector<std::string> fio_arguments(const std::string& program, const FioRun& run);

// One direction of a run.
struct FioDirection {
  double bytes_per_second = 0;
  double requests_per_second = 0;
  double mean_us = 0;       // of one request, from submission to completion
  double spread_ratio = 0;  // standard deviation over mean of the rates of 100 ms each
  std::int64_t bytes = 0;   // in all
};

struct FioResult {
  std::string version;  // "fio-3.33"
  FioDirection read, write;
};

// Notes before the JSON are skipped. kCorrupt: it is not fio's; kUnavailable: fio reports an error.
Result<FioResult> parse_fio(const std::string& output);

}  // namespace rocktune::tools
