#include "daemon/health_notes.h"

namespace rocktune::daemon {

std::optional<std::string> HealthNotes::note(const std::string& source, const std::string& error,
                                             Nanoseconds now) {
  constexpr Nanoseconds kQuiet = std::chrono::seconds(10);
  State& state = sources_[source];
  if (!error.empty()) state.failed = now;
  if (error == state.said) return std::nullopt;
  if (error.empty() && now - state.failed < kQuiet) return std::nullopt;
  if (!error.empty()) {
    if (state.at && now - *state.at < kQuiet) return std::nullopt;
    state.at = now;
  }
  state.said = error;
  if (!error.empty()) return source + ": " + error;
  return source + (source == "lease" ? ": held again" : ": read again");
}

}  // namespace rocktune::daemon
