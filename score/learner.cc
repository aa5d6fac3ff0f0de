#include "score/learner.h"

namespace rocktune::score {

void Learner::add(const Sample& sample) {
  if (last_tick_ && sample.at.tick <= *last_tick_) return;
  last_tick_ = sample.at.tick;
  static_cast<void>(model_.update(features_.next(sample)));
}

}  // namespace rocktune::score
