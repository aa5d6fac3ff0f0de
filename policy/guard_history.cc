#include "policy/guard_history.h"

#include <algorithm>
#include <chrono>

#include "model/text.h"
#include "model/write_stall.h"
#include "policy/smoothing_aids.h"

namespace rocktune {
namespace {

constexpr double kHour = 3600;
constexpr double kStalledSeconds = 10;  // stalls come in bursts shorter than this
// While writes stall, a raise of the limiter that the next poll finds used up was too small: less
// than the default time between two polls, so that each poll may raise once.
constexpr Nanoseconds kStallDwell = std::chrono::milliseconds(400);
constexpr std::size_t kMostMoves = 64;      // per knob; its dwell keeps it far below
constexpr std::size_t kMostChanges = 4096;  // per hour, whatever the budget says

}  // namespace

void GuardHistory::observe(const Features& features) {
  if (features.limiter_bytes_per_second) {
    limiter_.add(features.at.tick, *features.limiter_bytes_per_second);
  }
  limiter_.expire(features.at.tick);
  if (features.fresh && writes_stall(features)) stalled_ = features.at.tick;
}

bool GuardHistory::stalled_lately(Nanoseconds now) const {
  return stalled_ && seconds_between(*stalled_, now) <= kStalledSeconds;
}

std::optional<double> GuardHistory::limiter_peak() const {
  return limiter_.largest(30);
}

void GuardHistory::record(const Proposal& proposal, Nanoseconds now) {
  std::deque<Nanoseconds>& moves = moves_[knob_of(proposal)];
  moves.push_back(now);
  if (moves.size() > kMostMoves) moves.pop_front();
  changes_.push_back({now, knob_of(proposal)});
  if (changes_.size() > kMostChanges) changes_.pop_front();
}

void GuardHistory::undo(const Proposal& proposal) {
  auto moves = moves_.find(knob_of(proposal));
  if (moves == moves_.end() || moves->second.empty()) return;
  moves->second.pop_back();
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    if (change->knob != knob_of(proposal)) continue;
    changes_.erase(std::next(change).base());
    return;
  }
}

void GuardHistory::forget(const GoneKnobs& gone) {
  std::erase_if(moves_, [&](const auto& knob) {
    return knob.second.empty() || gone.has(knob.first, knob.second.back());
  });
}

void GuardHistory::reset() {
  moves_.clear();
  limiter_.clear();
  stalled_.reset();
}

std::optional<std::string> GuardHistory::dwell(const Proposal& proposal, const KnobSpec& spec,
                                               Nanoseconds now) const {
  auto moves = moves_.find(knob_of(proposal));
  if (moves == moves_.end() || moves->second.empty()) return std::nullopt;
  const bool lets_go = proposal.knob == knob::kRateLimit && proposal.to > proposal.from;
  // A second compaction that came with a limit is not to be there without one.
  const bool goes_with_limit = proposal.rule == kSmoothedJobsRule && proposal.to < proposal.from;
  const bool hurries = (lets_go && stalled_ == now) || goes_with_limit;
  const Nanoseconds rest = hurries ? kStallDwell : spec.dwell;
  Nanoseconds since = now - moves->second.back();
  if (since >= rest) return std::nullopt;
  // "10.0 s ago; it rests for 10 s" would contradict itself.
  const double rests = seconds_between({}, rest);
  const double ago = std::min(seconds_between({}, since), rests - 0.1);
  return proposal.knob + " was changed " + text::number(ago, 1) + " s ago; it rests for " +
         text::duration(rests);
}

std::optional<std::string> GuardHistory::over_budget(int changes_per_hour, Nanoseconds now) {
  while (!changes_.empty() && seconds_between(changes_.front().tick, now) >= kHour) {
    changes_.pop_front();
  }
  if (static_cast<std::int64_t>(changes_.size()) < changes_per_hour) return std::nullopt;
  return "all " + std::to_string(changes_per_hour) + " changes of this hour are spent";
}

}  // namespace rocktune
