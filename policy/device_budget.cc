#include "policy/device_budget.h"

#include <algorithm>

#include "policy/others_work.h"

namespace rocktune {
namespace {

// The same paces as the limiter's loop, which does this for one database (policy/limiter_loop.cc).
constexpr double kSufferSeconds = 5;
constexpr double kFallSeconds = 15, kFallFactor = 0.85;
constexpr double kReliefSeconds = 2, kReliefFactor = 2;  // the limiter's dwell, and its raise
constexpr double kRisingSeconds = 15, kRiseFactor = 1.25;
// Above this many times what is written at most, it limits nothing; where somebody's backlog seems
// to wait behind a slice, that has to be seen more clearly (two steps of a rise more).
constexpr double kOpenFactor = 1.5, kHeldUpOpenFactor = 4.5;
// Others' background work below this is not what makes anybody suffer.
constexpr double kLeastWorkShare = 0.25;

double background_of(const DeviceMember& member) {
  return member.demand.background.value_or(0);
}

double needed_by(const DeviceMember& member) {
  return std::max(member.least, kSharedNeedMargin * member.demand.need.value_or(0));
}

}  // namespace

DeviceBudget::Picture DeviceBudget::look(const std::vector<DeviceMember>& members) {
  Picture out;
  double calm = 0;  // what those write who have no backlog
  for (const DeviceMember& member : members) {
    out.background += background_of(member);
    out.least += needed_by(member);
    out.busy = out.busy || member.demand.device_busy;
    out.held_up = out.held_up || (member.demand.trouble && member.held_up);
    if (!member.demand.trouble) calm += background_of(member);
    if (member.at_most) out.at_most = std::max(*member.at_most, out.at_most.value_or(0));
  }
  const double worth = std::max(kLittleWork, kLeastWorkShare * out.background);
  for (const DeviceMember& member : members) {
    const bool others_work = out.background - background_of(member) >= worth;
    out.reads_hurt = out.reads_hurt || (member.demand.reads_hurt && others_work);
    out.writes_hurt = out.writes_hurt || (member.demand.trouble && calm >= worth);
  }
  out.reads_hurt = out.reads_hurt && out.busy;
  out.writes_hurt = out.writes_hurt && out.busy;
  return out;
}

void DeviceBudget::close(const Picture& picture, Nanoseconds now) {
  double budget = background_.largest(60).value_or(picture.background);
  if (picture.at_most) budget = std::min(budget, *picture.at_most);
  budget_ = std::max(budget, picture.least);
  moved_ = now;
  rest_.wanted(now);
}

void DeviceBudget::rise(double factor, const Picture& picture, Nanoseconds now) {
  budget_ = std::max(*budget_ * factor, picture.least);
  moved_ = now;
  const double most = std::max(background_.largest(60).value_or(0), picture.least);
  if (*budget_ <= (picture.held_up ? kHeldUpOpenFactor : kOpenFactor) * most) return;
  budget_.reset();
  freed_.reset();
  if (!picture.held_up) return;
  freed_ = now;
  rest_.went_back(now);
}

void DeviceBudget::lower(const Picture& picture, Nanoseconds now) {
  rest_.wanted(now);
  // What is written now counts: a budget far above it would take many steps to be felt.
  const double from = std::min(*budget_, background_.largest(60).value_or(*budget_));
  budget_ = std::min(*budget_, std::max(from * kFallFactor, picture.least));
  moved_ = now;
}

std::optional<double> DeviceBudget::update(Nanoseconds now,
                                           const std::vector<DeviceMember>& members) {
  const Picture picture = look(members);
  background_.add(now, picture.background);
  background_.expire(now);
  const bool hurts = picture.reads_hurt || picture.writes_hurt;
  const double hurt = hurt_.update(hurts, now);
  const double quiet = quiet_.update(!hurts, now);
  if (!budget_) {
    const bool rests = freed_ && seconds_between(*freed_, now) < rest_.seconds();
    if (hurt >= kSufferSeconds && !rests) close(picture, now);
    return budget_;
  }
  const double since = seconds_between(moved_, now);
  if (picture.held_up) {
    if (since >= kReliefSeconds) rise(kReliefFactor, picture, now);
  } else if (picture.reads_hurt) {
    if (since >= kFallSeconds) lower(picture, now);
  } else if (quiet >= rest_.seconds() && since >= kRisingSeconds) {
    rise(kRiseFactor, picture, now);
    rest_.went_back(now);
  }
  return budget_;
}

}  // namespace rocktune
