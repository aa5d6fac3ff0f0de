// CacheNote: a block cache that misses much and may not grow, for want of a budget. The cache's
// loop proposes nothing then, so nothing else would tell while rocktuned runs.
#pragma once

#include <optional>
#include <string>

#include "model/features.h"
#include "model/objective.h"
#include "model/trend.h"
#include "policy/memory.h"

namespace rocktune::daemon {

class CacheNote {
 public:
  // Call it with each sample of a database whose policy would turn the cache.
  void look(const Features& features, const Budget& budget);
  // For `rocktune status`; empty: there is nothing to say.
  [[nodiscard]] const std::string& text() const { return text_; }
  void reset() { *this = CacheNote(); }

 private:
  static constexpr double kWindowSeconds = 60;
  static Trend window() { return Trend(Trend::Jumps::kKeep, 0, kWindowSeconds); }
  [[nodiscard]] bool lacks_memory(const Features& features, const Budget& budget) const;

  ReadMisses read_misses_;
  Trend misses_ = window(), reads_ = window(), hits_ = window();
  std::optional<Nanoseconds> since_;  // it lacks memory, without a break
  std::optional<Nanoseconds> last_;   // look
  std::string text_;
};

}  // namespace rocktune::daemon
