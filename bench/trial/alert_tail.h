// Follows rocktuned's alert log while it grows, and says in one line each what a record means.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rocktune::bench {

class AlertTail {
 public:
  explicit AlertTail(std::string path) : path_(std::move(path)) {}
  // The whole lines that were added since the last call; none while the file does not exist.
  std::vector<std::string> poll();

 private:
  std::string path_;
  std::size_t offset_ = 0;
};

// "decision  261128-085511.628-1 (limiter.backlog)  rate_limiter_bytes_per_second 12 MiB/s -> 48
// MiB/s: <reason>". Nothing for records that a spectator need not see: decisions held or rejected
// by the guard, actuations that worked, outcomes that could not be measured.
std::optional<std::string> describe_alert(const std::string& line);

}  // namespace rocktune::bench
