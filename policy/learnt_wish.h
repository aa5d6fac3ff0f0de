// LearntWish: what is wished for, and for a while after it was: slices are not to follow every
// breath. A wish that comes back within a quarter of an hour of its end is remembered for twice as
// long the next time, up to four hours (policy/learnt_wait.h). Pure; internal to policy/.
#pragma once

#include <optional>

#include "policy/learnt_wait.h"

namespace rocktune {

class LearntWish {
 public:
  explicit LearntWish(double least_seconds) : wait_(least_seconds) {}

  // Call with every sample. Whether it stands.
  bool update(bool wished, Nanoseconds now);

 private:
  LearntWait wait_;
  std::optional<Nanoseconds> wished_at_;
  bool stands_ = false;
};

}  // namespace rocktune
