// The names that logs, traces and metrics print for the model's enumerations. They are stable.
#include "model/decision.h"
#include "model/indicators.h"
#include "model/objective.h"

namespace rocktune {

std::string_view to_string(IndicatorKind kind) {
  switch (kind) {
    case IndicatorKind::kP99:
      return "p99";
    case IndicatorKind::kCompactionBacklog:
      return "compaction_backlog";
    case IndicatorKind::kDeviceSaturation:
      return "device_saturation";
  }
  return "unknown";
}

std::string_view to_string(Priority priority) {
  switch (priority) {
    case Priority::kReadP99:
      return "read_p99";
    case Priority::kWriteP99:
      return "write_p99";
    case Priority::kThroughput:
      return "throughput";
    case Priority::kStallSeconds:
      return "stall_seconds";
    case Priority::kWriteAmplification:
      return "write_amplification";
  }
  return "unknown";
}

std::string_view to_string(AlertState state) {
  switch (state) {
    case AlertState::kOk:
      return "ok";
    case AlertState::kWarning:
      return "warning";
    case AlertState::kCritical:
      return "critical";
  }
  return "unknown";
}

std::string_view to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kAllowed:
      return "allowed";
    case VerdictKind::kClamped:
      return "clamped";
    case VerdictKind::kHeld:
      return "held";
    case VerdictKind::kRejected:
      return "rejected";
  }
  return "unknown";
}

}  // namespace rocktune
