#include "daemon/agents/opening_options.h"

#include <algorithm>
#include <cstdint>

#include "model/kept_options.h"

namespace rocktune::daemon {

std::string OpeningOptions::take(const Result<wire::Options>& answer,
                                 const std::vector<ColumnFamilyReading>& families,
                                 Nanoseconds now) {
  if (answer) {
    told_ = true;
    const auto untold = std::ranges::count_if(families, [&](const ColumnFamilyReading& family) {
      return !answer->column_families.contains(family.name);
    });
    kept_ = kept_options(
        {answer->database, answer->column_families, static_cast<std::uint64_t>(untold)});
    if (kept_.families_left_out == 0) return "";
    return "the trace lacks the options of " + std::to_string(kept_.families_left_out) +
           " column families: " +
           (untold > 0 ? "the agent tells them of those whose handles it knows, 64 at most"
                       : "those of the others fill the room for them");
  }
  next_ = now + kAskAgain * (1U << tries_);
  // Closed since it was sampled: no trouble, and the next poll says so.
  if (++tries_ < kMostTries || answer.error().code == ErrorCode::kNotFound) return "";
  return "what the database was opened with was not read, and is not in the trace: " +
         answer.error().message;
}

}  // namespace rocktune::daemon
