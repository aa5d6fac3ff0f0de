#include "policy/oscillation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune {
namespace {

constexpr double kWindowSeconds = 600;
constexpr int kMostReversals = 2;  // the third is one too many
constexpr double kWidenedSeconds = 3600;
constexpr std::size_t kFreezeAt = 3;  // detections within that hour
constexpr double kLeastStep = 0.05;
constexpr std::size_t kMostTurns = 64;  // per knob; its dwell keeps it far below

// Towards the value found, and not beyond it.
bool is_free(const Proposal& proposal, std::int64_t value, std::int64_t found) {
  const bool up = proposal.to > proposal.from;
  // Of the limiter the lowerings wait: in the argument of reads and backlog the backlog wins.
  if (proposal.knob == knob::kRateLimit) return up;
  return up ? value <= found : value >= found;
}

std::string named(const Proposal& proposal) {
  return proposal.knob + text::in_family(proposal.column_family);
}

std::string times(std::size_t detections) {
  return text::number(std::exp2(static_cast<double>(detections)), 0) + " times";
}

}  // namespace

void Oscillation::moved(const Proposal& proposal, Nanoseconds now) {
  std::deque<Move>& moves = knobs_[knob_of(proposal)].moves;
  moves.push_back({now, proposal.to > proposal.from});
  if (moves.size() > kMostTurns) moves.pop_front();
}

void Oscillation::undo(const Proposal& proposal) {
  auto knob = knobs_.find(knob_of(proposal));
  if (knob != knobs_.end() && !knob->second.moves.empty()) knob->second.moves.pop_back();
}

void Oscillation::detect(const Proposal& proposal, Knob& knob, Nanoseconds reversal,
                         Nanoseconds now) {
  if (knob.reversal == reversal) return;  // the same to and fro
  knob.reversal = reversal;
  knob.detections.push_back(now);
  std::string text = named(proposal) + " is moved to and fro: ";
  if (knob.detections.size() < kFreezeAt) {
    text += "its least step is " + times(knob.detections.size()) + " as large for an hour";
  } else {
    knob.freeze.begin(now);
    text += "it is left alone for " + text::duration(knob.freeze.left_seconds(now));
  }
  notes_.push_back({proposal.knob, proposal.column_family, text});
}

std::optional<std::string> Oscillation::reverses(const Proposal& proposal, Knob& knob,
                                                 Nanoseconds now) {
  if (knob.moves.empty() || knob.moves.back().up == (proposal.to > proposal.from)) {
    return std::nullopt;
  }
  int reversals = 0;
  Nanoseconds newest{0};
  const Move* before = nullptr;
  for (const Move& move : knob.moves) {
    if (seconds_between(move.tick, now) > kWindowSeconds) continue;
    if (before != nullptr && before->up != move.up) {
      ++reversals;
      newest = move.tick;
    }
    before = &move;
  }
  if (reversals < kMostReversals) return std::nullopt;
  detect(proposal, knob, newest, now);
  return named(proposal) + " has changed its direction " + std::to_string(reversals) +
         " times in the last " + text::duration(kWindowSeconds);
}

std::optional<std::string> Oscillation::too_small(const Proposal& proposal, const Knob& knob,
                                                  std::int64_t value, Nanoseconds now) {
  const KnobSpec* spec = find_knob(proposal.knob);
  const bool is_switch = spec != nullptr && spec->unit == "switch";  // has no larger steps
  if (knob.detections.empty() || is_switch) return std::nullopt;
  const auto from = static_cast<double>(proposal.from);
  const double least =
      std::max(1.0, kLeastStep * std::abs(from)) * std::exp2(knob.detections.size());
  if (std::abs(static_cast<double>(value) - from) >= least) return std::nullopt;
  const double left = kWidenedSeconds - seconds_between(knob.detections.front(), now);
  return named(proposal) + " was moved to and fro: its least step is " +
         times(knob.detections.size()) + " as large for another " +
         text::duration(std::max(left, 1.0));
}

std::optional<std::string> Oscillation::frozen(const Proposal& proposal, const Knob& knob,
                                               Nanoseconds now) {
  const double left = knob.freeze.left_seconds(now);
  if (left <= 0) return std::nullopt;
  return named(proposal) + " was moved to and fro again and again: it is left alone for another " +
         text::duration(std::max(left, 1.0));
}

std::optional<std::string> Oscillation::blocks(const Proposal& proposal, std::int64_t value,
                                               std::int64_t found, Nanoseconds now) {
  auto known = knobs_.find(knob_of(proposal));
  if (known == knobs_.end() || is_free(proposal, value, found)) return std::nullopt;
  Knob& knob = known->second;
  while (!knob.detections.empty() &&
         seconds_between(knob.detections.front(), now) >= kWidenedSeconds) {
    knob.detections.pop_front();
  }
  if (auto why = frozen(proposal, knob, now)) return why;
  if (auto why = reverses(proposal, knob, now)) {
    auto ice = frozen(proposal, knob, now);
    return ice ? ice : why;
  }
  return too_small(proposal, knob, value, now);
}

std::vector<GuardNote> Oscillation::take_notes() {
  return std::exchange(notes_, {});
}

Nanoseconds Oscillation::Knob::last_used() const {
  Nanoseconds last = freeze.since().value_or(Nanoseconds{0});
  if (!moves.empty()) last = std::max(last, moves.back().tick);
  if (!detections.empty()) last = std::max(last, detections.back());
  return last;
}

void Oscillation::forget(const GoneKnobs& gone) {
  std::erase_if(knobs_,
                [&](const auto& knob) { return gone.has(knob.first, knob.second.last_used()); });
}

void Oscillation::reset() {
  knobs_.clear();
  notes_.clear();
}

}  // namespace rocktune
