#include "policy/learnt_wish.h"

#include "policy/situation.h"

namespace rocktune {

bool LearntWish::update(bool wished, Nanoseconds now) {
  if (wished) {
    if (!stands_) wait_.wanted(now);
    wished_at_ = now;
    stands_ = true;
  } else if (stands_ && !within(wished_at_, now, wait_.seconds())) {
    wait_.went_back(now);
    stands_ = false;
  }
  return stands_;
}

}  // namespace rocktune
