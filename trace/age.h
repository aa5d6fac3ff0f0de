// Age: a gauge that says for how many whole milliseconds something has gone on, as the moment at
// which it began. That stays the same from sample to sample while the gauge changes with each, and
// gives the gauge back exactly: the moment is kept where all that was read so far agrees with it.
#pragma once

#include <cstdint>
#include <optional>

#include "model/sample.h"

namespace rocktune::trace {

// At `tick`, of what began then; nothing of moments that no Age tells.
std::optional<std::uint64_t> age_ms_at(Nanoseconds tick, std::int64_t began_ns);

class Age {
 public:
  // What was read at `tick`. Whether began_ns() and fixed_ms() tell it as they stand.
  bool update(Nanoseconds tick, const Counter& age_ms);

  [[nodiscard]] std::optional<std::int64_t> began_ns() const { return began_ns_; }
  // Where nothing goes on, and of numbers that no clock gives: the gauge as it was read.
  [[nodiscard]] const Counter& fixed_ms() const { return fixed_ms_; }

 private:
  std::optional<std::int64_t> began_ns_;
  std::int64_t after_ns_ = 0, until_ns_ = 0;  // it began after the one and not after the other
  Counter fixed_ms_;
};

}  // namespace rocktune::trace
