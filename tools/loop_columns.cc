#include "tools/loop_columns.h"

#include <cstdint>

#include "tools/text.h"

namespace rocktune::tools {
namespace {

using sim::LoopFigures;

std::uint64_t changes_of(const LoopFigures& figures) {
  std::uint64_t count = 0;
  for (const auto& [knob, moves] : figures.movements) count += moves;
  return count;
}

std::string p99_text(double seconds) {
  return seconds > 0 ? microseconds_text(seconds * 1e6) : "-";
}

}  // namespace

const std::vector<LoopColumn>& loop_columns() {
  static const std::vector<LoopColumn> kColumns = {
      {"ops/s", "operations_per_second",
       [](const LoopFigures& f) { return f.seconds > 0 ? f.operations / f.seconds : 0; },
       count_text},
      {"stalled", "stalled_seconds", [](const LoopFigures& f) { return f.stalled_seconds; },
       seconds_text},
      {"read P99", "read_p99_seconds", [](const LoopFigures& f) { return f.reads_p99_seconds; },
       p99_text, true},
      {"write P99", "write_p99_seconds", [](const LoopFigures& f) { return f.writes_p99_seconds; },
       p99_text, true},
      {"above SLO", "seconds_above_slo", [](const LoopFigures& f) { return f.seconds_above_slo; },
       seconds_text},
      {"WAF", "write_amplification", [](const LoopFigures& f) { return f.write_amplification; },
       number_text},
      {"most debt", "pending_bytes_most", [](const LoopFigures& f) { return f.pending_bytes_most; },
       bytes_text},
      {"debt at end", "pending_bytes", [](const LoopFigures& f) { return f.pending_bytes; },
       bytes_text},
      {"most L0", "l0_files_most", [](const LoopFigures& f) { return f.l0_files_most; },
       number_text},
      {"changes", "changes",
       [](const LoopFigures& f) { return static_cast<double>(changes_of(f)); }, number_text},
  };
  return kColumns;
}

std::vector<double> known_of(const LoopColumn& column, std::vector<double> values) {
  if (column.absent_at_zero) std::erase(values, 0.0);
  return values;
}

}  // namespace rocktune::tools
