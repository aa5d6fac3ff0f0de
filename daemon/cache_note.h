// CacheNote: a block cache that misses much and may not grow, for want of a budget; or since nobody
// can tell whose misses they are, or they do not stay in it. And a budget that is too small for the
// write buffers alone. The cache's loop proposes nothing then, so nothing else would tell while
// rocktuned runs.
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
  // Why nothing is done for reads that wait for misses.
  enum class Why { kNothing, kSeveral, kNoBudget, kStaysEmpty };
  static constexpr double kWindowSeconds = 60;
  static Trend window() { return Trend(Trend::Jumps::kKeep, 0, kWindowSeconds); }
  [[nodiscard]] bool lacks_memory(const Features& features, const Budget& budget) const;
  bool fills(const Features& features);
  Why judge(const Features& features, const Budget& budget);
  [[nodiscard]] std::string told(const Features& features, double lasts) const;

  ReadMisses read_misses_;
  Trend misses_ = window(), reads_ = window(), hits_ = window();
  double used_ = 0;                       // bytes in it, when it was last seen to fill...
  std::optional<Nanoseconds> filled_at_;  // ...and when
  Why why_ = Why::kNothing;
  std::optional<Nanoseconds> since_;  // it is so, without a break
  std::optional<Nanoseconds> last_;   // look
  std::string text_;
};

}  // namespace rocktune::daemon
