#include "tools/refused_runs.h"

#include <utility>

#include "model/text.h"
#include "tools/command.h"

namespace rocktune::tools {
namespace {

// Twenty samples each, at the usual two a second, that calibrate and that are simulated. Of less,
// a shorter part that calibrates makes nothing.
constexpr double kLeastSecondsToPart = 20;

// Of sim::RunCalibration: nothing is wrong with the run.
bool is_too_short(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

}  // namespace

RefusedRun refused_run(const RecordedRun& run, Error error) {
  return {run.name, seconds_between(run.begin_wall, run.end_wall), std::move(error)};
}

Refusals refusals(const std::vector<RefusedRun>& refused, bool any_simulated, bool in_parts) {
  Refusals out;
  for (const RefusedRun& run : refused) {
    Error error = run.error.within("run " + run.name);
    if (is_too_short(run.error)) {
      error.message += " (it lasts " + text::duration(run.seconds) + ")";
      if (any_simulated) {
        error = error.within("left out");
      } else if (in_parts && run.seconds >= kLeastSecondsToPart) {
        error.message += ": shorten that (--calibrate-until)";
      }
    }
    out.failed = out.failed || !any_simulated || !is_too_short(run.error);
    out.errors.push_back(std::move(error));
  }
  return out;
}

int report_refusals(const char* command, const Refusals& refusals) {
  for (const Error& error : refusals.errors) report_error(error.within(command));
  return refusals.failed ? kFailed : kOk;
}

}  // namespace rocktune::tools
