#include "policy/device_smoothing.h"

#include <algorithm>

#include "policy/limiter_terms.h"
#include "policy/others_work.h"

namespace rocktune {
namespace {

// Ours: in a burst that is over within seconds there is no time to lose.
constexpr double kWaitSeconds = 2;
// What others write is what reads wait for where it is so much of all, and more than little.
constexpr double kOthersShare = 0.5;
// Of what all write: those who write little have so much together, each its part.
constexpr double kLittleShare = 0.4;
// Below this share of what was written as it began there is no such work: of means of so long,
// since compactions come and go.
constexpr double kWorksShare = 0.5, kWorksSeconds = 30;

}  // namespace

DeviceSmoothing::DeviceSmoothing() : far_wait_(kFarSeconds), unasked_wait_(kGoneSeconds) {}

std::optional<double> DeviceSmoothing::update(Nanoseconds now,
                                              const std::vector<DeviceMember>& members,
                                              bool divided) {
  double all = 0;
  for (const DeviceMember& member : members) all += member.demand.background.value_or(0);
  all_.add(now, all);
  all_.expire(now);
  const bool asked = std::any_of(members.begin(), members.end(), [](const DeviceMember& one) {
    return one.demand.reads_wait_seconds > 0;
  });
  if (!from_) {
    const bool wanted = std::any_of(members.begin(), members.end(), [&](const DeviceMember& one) {
      const double others = all - one.demand.background.value_or(0);
      return one.demand.reads_wait_seconds >= kWaitSeconds &&
             others >= std::max(kLittleWork, kOthersShare * all);
    });
    if (!wanted || divided) return std::nullopt;
    from_ = kLittleShare * all / static_cast<double>(members.size());
    works_from_ = kWorksShare * all;
    far_wait_.wanted(now);
    unasked_wait_.wanted(now);
  }
  const bool far = std::all_of(members.begin(), members.end(),
                               [](const DeviceMember& one) { return one.demand.reads_are_far; });
  const bool works = all_.mean(kWorksSeconds).value_or(0) >= works_from_;
  const bool fast = far_.update(far && works, now) >= far_wait_.seconds();
  const bool gone = unasked_.update(!asked, now) >= unasked_wait_.seconds();
  if (fast || gone) {
    from_.reset();
    far_.reset();
    unasked_.reset();
    (fast ? far_wait_ : unasked_wait_).went_back(now);
  }
  return from_;
}

}  // namespace rocktune
