#include "bench/time/rfc3339.h"

#include <cstdio>
#include <ctime>

namespace rocktune::bench {

std::string rfc3339(std::chrono::system_clock::time_point time) {
  const auto since = time.time_since_epoch();
  const auto whole = std::chrono::floor<std::chrono::seconds>(since);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since - whole);
  const std::time_t seconds = whole.count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[48];
  char rest[16];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(rest, sizeof rest, ".%03dZ", static_cast<int>(milliseconds.count()));
  return std::string(text) + rest;
}

std::optional<double> seconds_since_1970(const std::string& time) {
  std::tm utc{};
  const char* rest = strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  if (rest == nullptr) return std::nullopt;
  int milliseconds = 0;
  if (*rest == '.' && std::sscanf(rest, ".%3dZ", &milliseconds) != 1) return std::nullopt;
  return static_cast<double>(timegm(&utc)) + milliseconds / 1e3;
}

}  // namespace rocktune::bench
