#include "policy/learnt_wish.h"

#include <cstdint>

#include "policy/situation.h"

namespace rocktune {

bool LearntWish::update(bool wished, Nanoseconds now) {
  if (wished) {
    if (!stands_) wait_.wanted(now);
    wished_at_ = now;
    stands_ = true;
  } else if (stands_ && !within(wished_at_, now, wait_.seconds())) {
    wait_.went_back(*wished_at_ + Nanoseconds(static_cast<std::int64_t>(wait_.seconds() * 1e9)));
    stands_ = false;
  }
  return stands_;
}

}  // namespace rocktune
