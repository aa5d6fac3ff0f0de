#include "policy/growing_debt.h"

namespace rocktune {
namespace {

constexpr double kLookSeconds = 60, kAddedShare = 1.0 / 6;

}  // namespace

bool GrowingDebt::update(bool works, const Features& features, double rate, Nanoseconds now) {
  const Value& bytes = features.total_pending_bytes;
  const double held = works_.update(works && bytes, now);
  const bool fell = bytes && last_ && *bytes < *last_;
  last_ = bytes;
  if (held == 0) {
    grows_ = false;
    low_ = bytes;
  }
  if (held < kLookSeconds || !fell) return grows_;
  grows_ = *bytes - *low_ >= kAddedShare * held * rate;
  low_ = bytes;
  works_.reset();
  works_.update(true, now);  // the next look begins here
  return grows_;
}

}  // namespace rocktune
