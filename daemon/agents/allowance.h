// Allowance: how much one user's agents may answer between two polls. There is one thread, and what
// reads an answer keeps all databases waiting. Whatever came in beyond it is not decoded, and is
// missing from the polls after it. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::daemon {

class Allowance {
 public:
  // As much as one answer may have. The sample of a database with one column family has some 20 kB:
  // those of 256, as many as a user may have, fit.
  static constexpr std::int64_t kEachPoll = std::int64_t{8} << 20;

  explicit Allowance(uid_t user) : user_(user) {}
  void next_poll() { left_ = std::min(left_ + kEachPoll, kEachPoll); }
  [[nodiscard]] bool spent() const { return left_ <= 0; }
  // An answer of so many bytes has come; an error where it is not to be taken.
  Result<void> take(std::size_t bytes) {
    const auto size = static_cast<std::int64_t>(bytes);
    const bool fits = size <= left_;
    left_ -= size;
    return fits ? Result<void>() : refused();
  }
  [[nodiscard]] Result<void> refused() const {
    return fail(ErrorCode::kUnavailable,
                "the agents of uid " + std::to_string(user_) + " answer with more than " +
                    std::to_string(kEachPoll >> 20) + " MiB in a poll: each database has its turn");
  }

 private:
  uid_t user_;
  std::int64_t left_ = kEachPoll;  // below 0: that is missing from the next ones
};

}  // namespace rocktune::daemon
