#include "policy/side.h"

namespace rocktune {

std::optional<Side> first_side(const Objective& objective) {
  if (objective.first == Priority::kReadP99) return Side::kReads;
  if (objective.first == Priority::kWriteP99) return Side::kWrites;
  return std::nullopt;
}

std::string p99_text(Side side) {
  return side == Side::kReads ? "read P99" : "write P99";
}

std::string p99_feature(Side side) {
  return side == Side::kReads ? "read_p99_us" : "write_p99_us";
}

double p99_slo_us(const Objective& objective, Side side) {
  return 1e6 * (side == Side::kReads ? objective.read_p99_seconds : objective.write_p99_seconds);
}

}  // namespace rocktune
