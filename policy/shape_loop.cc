#include "policy/shape_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/family_options.h"
#include "model/knobs.h"
#include "model/text.h"
#include "policy/memory.h"
#include "policy/others_work.h"
#include "policy/shape_step.h"

namespace rocktune {
namespace {

constexpr double kShapeEvaluationSeconds = ShapeLoop::kSettleSeconds + ShapeLoop::kMeasureSeconds;
// How long one knob may take to go back to what was found.
constexpr double kTurnSeconds = 2 * kShapeEvaluationSeconds;
constexpr double kLeastWritten = 1e6;  // bytes/s of the user: less costs nobody anything
constexpr double kGain = 0.05;         // least fall of write amplification
constexpr double kLoss = 0.10;         // most rise of read P99 or space
constexpr double kSameLoad = 0.2;      // user writes of before and after differ by less
constexpr double kLongestShapeRest = 24 * 3600;
constexpr double kLongestInterval = 120;  // two of the longest polls
constexpr double kLostFadesSeconds = 3600;
// No experiment: it expects nothing, and is not judged.
constexpr std::string_view kUndoRule = "shape.undo";

struct Candidate {
  std::string_view knob;
  double factor;
};
// Larger first: fewer levels and fewer, larger files are what usually saves writes.
constexpr std::array<Candidate, 4> kCandidates{{{knob::kLevelBase, 2},
                                                {knob::kTargetFileSize, 2},
                                                {knob::kLevelBase, 0.5},
                                                {knob::kTargetFileSize, 0.5}}};

bool differs(double before, double after, double by) {
  return std::fabs(after - before) > by * std::max(before, after);
}

}  // namespace

void ShapeLoop::measure(const Situation& situation) {
  const Features& f = situation.features;
  const Value background = background_writes(f);
  if (!f.user_write_bytes_per_second || !background) return;
  const double dt = f.interval_seconds;
  if (dt > kLongestInterval) return;  // nobody looked: it may be the time of another shape, too
  if (cost_.seconds == 0) {
    flushes_before_.clear();
    for (const auto& family : f.column_families) {
      flushes_before_[family.name] = family.flushes.value_or(0);
    }
  }
  if (cost_.seconds < kMeasureSeconds / 2) {
    cost_.half_user += dt * *f.user_write_bytes_per_second;
    cost_.half_background += dt * *background;
  }
  cost_.seconds += dt;
  cost_.user += dt * *f.user_write_bytes_per_second;
  cost_.background += dt * *background;
  if (f.read_p99_us) {
    cost_.p99 += dt * *f.read_p99_us;
    cost_.p99_seconds += dt;
  }
  if (f.total_sst_bytes && f.live_data_bytes && *f.live_data_bytes > 0) {
    cost_.space += dt * *f.total_sst_bytes / *f.live_data_bytes;
    cost_.space_seconds += dt;
  }
}

// A load that makes writers wait now and then does so with any shape.
void ShapeLoop::note_lost_time(const Situation& situation) {
  const double dt = std::min(situation.features.interval_seconds, kLongestInterval);
  const double lost = situation.loses_time ? dt : 0;
  lost_ = lost_ * std::exp(-dt / kLostFadesSeconds) + lost;
  if (trial_ && trial_->applied_at) trial_->lost += lost;
}

const ColumnFamilyReading* ShapeLoop::written_most(const Features& f) const {
  const ColumnFamilyReading* most = nullptr;
  std::pair<double, std::uint64_t> rank;
  for (const ColumnFamilyReading& family : f.column_families) {
    std::uint64_t held = 0;
    for (const LevelReading& level : family.levels) held += level.bytes;
    if (family.leveled_compaction == 0 || !compacts(family) || held == 0) continue;
    const auto before = flushes_before_.find(family.name);
    const std::uint64_t now = family.flushes.value_or(0);
    const bool known = before != flushes_before_.end() && before->second <= now;
    const auto flushes = static_cast<double>(known ? now - before->second : 0);
    const std::pair own(flushes * static_cast<double>(family.write_buffer_bytes.value_or(1)), held);
    if (most != nullptr && own <= rank) continue;
    most = &family;
    rank = own;
  }
  return most;
}

ShapeLoop::Judgement ShapeLoop::judge(const Cost& before, const Cost& after, std::string& why) {
  const double rate_before = before.user / before.seconds, rate_after = after.user / after.seconds;
  why = "write amplification went from " + text::number(before.amplification(), 2) + " to " +
        text::number(after.amplification(), 2);
  if (differs(rate_before, rate_after, kSameLoad)) {
    why = "the load has changed: " + text::rate(rate_before) + " written before, " +
          text::rate(rate_after) + " after";
    return Judgement::kIncomparable;
  }
  if (after.mean_p99_us() > (1 + kLoss) * before.mean_p99_us() && before.p99_seconds > 0) {
    why += ", and read P99 from " + text::microseconds(before.mean_p99_us()) + " to " +
           text::microseconds(after.mean_p99_us());
    return Judgement::kWorse;
  }
  if (after.mean_space() > (1 + kLoss) * before.mean_space() && before.space_seconds > 0) {
    why += ", and space from " + text::number(before.mean_space(), 2) + " to " +
           text::number(after.mean_space(), 2) + " times the live data";
    return Judgement::kWorse;
  }
  const double worst_after = after.amplifications().second;
  const double best_before = before.amplifications().first;
  if (worst_after <= (1 - kGain) * best_before) return Judgement::kBetter;
  if (after.amplification() <= (1 - kGain) * before.amplification()) {
    why += ", no more than it moves by itself";
  }
  return Judgement::kWorse;
}

void ShapeLoop::end_trial(bool gained, Nanoseconds now) {
  trial_.reset();
  cost_ = {};
  tried_ = true;
  gained_ = gained_ || gained;
  // What gained once may gain again; what did not is not tried twice in a round.
  if (!gained) next_candidate(now);
}

// A round in which nothing could be tried - all was frozen, say - tells nothing, and needs no rest.
void ShapeLoop::next_candidate(Nanoseconds now) {
  if (++candidate_ < static_cast<int>(kCandidates.size())) return;
  candidate_ = 0;
  if (!std::exchange(tried_, false)) return;
  rest_seconds_ = gained_ ? kRestSeconds : std::min(2 * rest_seconds_, kLongestShapeRest);
  gained_ = false;
  resting_since_ = now;
}

std::optional<Proposal> ShapeLoop::try_next(const Situation& situation) {
  const ColumnFamilyReading* family = written_most(situation.features);
  const double written = cost_.user / cost_.seconds;
  if (family == nullptr || written < kLeastWritten) {
    cost_ = {};  // an idle night is nothing to compare a day with
    return std::nullopt;
  }
  const Candidate& candidate = kCandidates.at(static_cast<std::size_t>(candidate_));
  const KnobReading* reading = situation.features.knobs.find(candidate.knob, family->name);
  const bool free = reading != nullptr && may_turn(*reading);
  const std::int64_t to =
      free ? whole_bytes(candidate.factor * static_cast<double>(reading->value)) : 0;
  // Of which nobody can tell the debt could not go back.
  if (!free || !knows_debt(situation.features, *reading) ||
      !is_sound_size(situation.features, *reading, to) ||
      !fills_in_time(situation.features, *reading, to, written, kSettleSeconds)) {
    cost_ = {};
    next_candidate(situation.now);
    return std::nullopt;
  }
  trial_ = Trial{};
  trial_->knob = candidate.knob;
  trial_->column_family = family->name;
  trial_->from = reading->value;
  trial_->to = to;
  trial_->before = cost_;
  trial_->asked_at = situation.now;
  return follow(situation);
}

bool ShapeLoop::goes_on(const KnobReading* reading, Nanoseconds now) {
  Trial& trial = *trial_;
  if (reading == nullptr) {  // not read in this sample, or gone with its column family
    if (!trial.unseen_since) trial.unseen_since = now;
    if (seconds_between(*trial.unseen_since, now) > kMeasureSeconds) end_trial(false, now);
    return false;
  }
  trial.unseen_since.reset();
  const bool there = reading->value == trial.from || reading->value == trial.to;
  const auto [low, high] = std::minmax(trial.from, trial.to);
  const bool part = !there && low < reading->value && reading->value < high;
  // The guard may have allowed a part of the step only: that is what is tried, then. Later another
  // loop of ours may have taken a part of it back, for the debt of a base.
  const bool first_part = part && !trial.applied_at && reading->owner == KnobOwner::kRocktune;
  const bool part_left = part && trial.applied_at && reading->owner != KnobOwner::kManual;
  if (first_part) trial.to = reading->value;
  const bool back = trial.applied_at && reading->value == trial.from;  // undone, by whomever
  if (!back && (there || first_part || part_left)) return true;
  end_trial(false, now);
  settling_since_ = now;
  return false;
}

std::optional<Proposal> ShapeLoop::follow(const Situation& situation) {
  const KnobReading* reading = situation.features.knobs.find(trial_->knob, trial_->column_family);
  if (!goes_on(reading, situation.now)) return std::nullopt;
  if (trial_->failed_at) return take_back(situation, *reading);
  return reading->value == trial_->from ? ask(situation, *reading)
                                        : await_judgement(situation, *reading);
}

// Not applied: refused, held, or nobody acts. It is asked for as long as one measurement takes.
std::optional<Proposal> ShapeLoop::ask(const Situation& situation, const KnobReading& reading) {
  // Frozen, or something else was changed meanwhile: what it is compared with is of another time.
  if (!reading.changeable || situation.settling) {
    trial_.reset();
    cost_ = {};
    return std::nullopt;
  }
  const Trial& trial = *trial_;
  if (seconds_between(trial.asked_at, situation.now) > kMeasureSeconds) {
    end_trial(false, situation.now);
    return std::nullopt;
  }
  if (borne_step(situation.features, reading, trial.to) != trial.to) return std::nullopt;
  Proposal out = propose(reading, trial.to, "shape.try");
  const double amplification = trial.before.amplification();
  out.reason = "write amplification is " + text::number(amplification, 2) + " at " +
               text::rate(trial.before.user / trial.before.seconds) + ": whether another " +
               trial.knob + " of " + trial.column_family + " does better takes " +
               text::duration(kShapeEvaluationSeconds) + " to tell";
  out.expected = {"write_amplification", true, amplification, kShapeEvaluationSeconds};
  out.evidence = {{"write_amplification", amplification, situation.budget.write_amplification_max}};
  return out;
}

std::string ShapeLoop::spoilt(const Situation& situation, const KnobReading& reading) {
  Trial& trial = *trial_;
  if (!trial.applied_at) {
    trial.applied_at = situation.now;
    trial.lost_before = lost_;
    cost_ = {};
  } else if (situation.changed && reading.value == trial.to) {
    return "another knob was changed before anybody could tell";
  }
  if (reading.value != trial.to) {
    return "a part of it was taken back before anybody could tell";
  }
  if (trial.lost < kMostLostSeconds || trial.lost <= trial.lost_before) return "";
  return "writers were seen to lose time for " + text::duration(trial.lost) + " of the " +
         text::duration(seconds_between(*trial.applied_at, situation.now)) + " since, and for " +
         text::duration(trial.lost_before) + " before it";
}

std::optional<Proposal> ShapeLoop::await_judgement(const Situation& situation,
                                                   const KnobReading& reading) {
  if (std::string why = spoilt(situation, reading); !why.empty()) {
    return fail(situation, reading, std::move(why));
  }
  const Trial& trial = *trial_;
  const double tried = seconds_between(*trial.applied_at, situation.now);
  if (tried < kSettleSeconds) {
    cost_ = {};
    return std::nullopt;
  }
  if (cost_.seconds < kMeasureSeconds) {
    if (tried < kSettleSeconds + kLongestMeasureSeconds) return std::nullopt;
    return fail(situation, reading,
                "nobody could tell in " + text::duration(tried) +
                    " what it gains: writers were in trouble, or too little was read");
  }
  std::string why;
  if (judge(trial.before, cost_, why) != Judgement::kBetter) {
    return fail(situation, reading, std::move(why));
  }
  end_trial(true, situation.now);
  return std::nullopt;
}

std::optional<Proposal> ShapeLoop::fail(const Situation& situation, const KnobReading& reading,
                                        std::string why) {
  trial_->failed_at = situation.now;
  trial_->why = std::move(why);
  return take_back(situation, reading);
}

// As far as what would be pending allows, and on once that is less.
std::optional<Proposal> ShapeLoop::take_back(const Situation& situation,
                                             const KnobReading& reading) {
  if (!reading.changeable) {
    trial_->failed_at = situation.now;  // frozen: the time begins when somebody can change it
    return std::nullopt;
  }
  // Held for so long it is somebody's wish, or the debt stays.
  if (seconds_between(*trial_->failed_at, situation.now) > kTurnSeconds) {
    end_trial(false, situation.now);
    settling_since_ = situation.now;
    return std::nullopt;
  }
  const auto to = borne_step(situation.features, reading, trial_->from);
  if (!to) return std::nullopt;
  Proposal out = propose(reading, *to, kUndoRule);
  out.reason = trial_->why;
  return out;
}

std::optional<Proposal> ShapeLoop::undo_inherited(const Situation& situation) {
  const KnobReadings& knobs = situation.features.knobs;
  if (!inherited_) {
    if (knobs.empty()) return std::nullopt;
    inherited_.emplace();
    for (const KnobReading& knob : knobs) {
      const bool shape = knob.name == knob::kLevelBase || knob.name == knob::kTargetFileSize;
      const bool ours = knob.owner == KnobOwner::kRocktune && knob.value != knob.found;
      if (shape && ours && !follows_level0(situation.features, knob))
        inherited_->push_back({knob.name, knob.column_family});
    }
    turn_since_ = situation.now;
  }
  // One after the other, and each is given its time.
  while (!inherited_->empty()) {
    cost_ = {};
    settling_since_ = situation.now;
    if (within(returned_at_, situation.now, kSettleSeconds)) {
      turn_since_ = situation.now;
      return std::nullopt;
    }
    const Inherited& one = inherited_->back();
    const KnobReading* reading = knobs.find(one.knob, one.column_family);
    if (reading != nullptr && !reading->changeable) turn_since_ = situation.now;  // frozen
    const bool there = reading == nullptr ||
                       (reading->owner == KnobOwner::kRocktune && reading->value != reading->found);
    // Held for so long, by a pin, it is somebody's wish.
    if (there && seconds_between(turn_since_, situation.now) <= kTurnSeconds) {
      return undo(situation, reading);
    }
    if (!there && reading != nullptr) returned_at_ = situation.now;
    inherited_->pop_back();
    turn_since_ = situation.now;
  }
  return std::nullopt;
}

std::optional<Proposal> ShapeLoop::undo(const Situation& situation, const KnobReading* reading) {
  if (reading == nullptr || !reading->changeable) return std::nullopt;
  const auto to = borne_step(situation.features, *reading, reading->found);
  if (!to) return std::nullopt;
  Proposal out = propose(*reading, *to, kUndoRule);
  out.reason = reading->name + " of " + reading->column_family +
               " was left so before rocktuned, or its configuration, began anew, and what that "
               "gains is not known: trials begin at what was found";
  return out;
}

void ShapeLoop::give_way() {
  if (!trial_ || trial_->applied_at) return;
  trial_.reset();
  cost_ = {};
}

std::optional<Proposal> ShapeLoop::decide(const Situation& situation) {
  measure(situation);
  note_lost_time(situation);
  // A stall in the middle of a measurement says more about the load than about the shape.
  if (situation.trouble) cost_ = {};
  if (auto back = undo_inherited(situation)) return back;
  if (!inherited_ || !inherited_->empty()) return std::nullopt;
  if (trial_) return follow(situation);
  if (resting_since_) {
    if (seconds_between(*resting_since_, situation.now) < rest_seconds_) return std::nullopt;
    resting_since_.reset();
    cost_ = {};
  }
  if (settling_since_ && seconds_between(*settling_since_, situation.now) < kSettleSeconds) {
    cost_ = {};
  }
  // What is compared with is of the knobs as they stand, while nothing else was changed.
  if (situation.changed) cost_ = {};
  if (cost_.seconds < kMeasureSeconds || situation.settling) return std::nullopt;
  return try_next(situation);
}

}  // namespace rocktune
