#include "daemon/agents/opening_options.h"

#include "model/kept_options.h"

namespace rocktune::daemon {

std::string OpeningOptions::take(const Result<wire::Options>& answer, Nanoseconds now) {
  if (answer) {
    told_ = true;
    kept_ = kept_options({answer->database, answer->column_families});
    if (kept_.families_left_out == 0) return "";
    return "the trace leaves out the options of " + std::to_string(kept_.families_left_out) +
           " column families: those of the others fill the room for them";
  }
  next_ = now + kAskAgain * (1U << tries_);
  // Closed since it was sampled: no trouble, and the next poll says so.
  if (++tries_ < kMostTries || answer.error().code == ErrorCode::kNotFound) return "";
  return "what the database was opened with was not read, and is not in the trace: " +
         answer.error().message;
}

}  // namespace rocktune::daemon
