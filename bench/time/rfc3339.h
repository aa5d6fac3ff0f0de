// Moments of the calendar as logs and results name them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace rocktune::bench {

// UTC, to the millisecond: "2026-01-31T12:00:00.250Z".
std::string rfc3339(std::chrono::system_clock::time_point time);
inline std::string rfc3339_now() {
  return rfc3339(std::chrono::system_clock::now());
}
// Nothing of what is no such time.
std::optional<double> seconds_since_1970(const std::string& time);

}  // namespace rocktune::bench
