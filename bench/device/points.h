// Measured points of a device: one row of a CSV file for each fio run. Columns are found by their
// names in the first line; others are left alone.
//
//   read_percent, queue_depth, jobs, block_kib   the load: fio's rwmixread, iodepth, numjobs, bs
//   read_iops, write_iops                        what came of it
#pragma once

#include <string>
#include <vector>

#include "bench/device/closed_loop.h"
#include "model/result.h"

namespace rocktune::bench {

struct MeasuredPoint {
  ClosedLoad load;
  double reads_per_second = 0;
  double writes_per_second = 0;

  [[nodiscard]] double requests_per_second() const { return reads_per_second + writes_per_second; }
  [[nodiscard]] bool mixed() const { return load.read_share > 0 && load.read_share < 1; }
};

// All mistakes at once, as file:line: column: message. `file` only names the text.
Result<std::vector<MeasuredPoint>> parse_points(const std::string& text, const std::string& file);

}  // namespace rocktune::bench
