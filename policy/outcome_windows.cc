// Outcomes' windows: when they begin, what is counted in them, and how they end.
#include <algorithm>
#include <string_view>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/memory.h"
#include "policy/outcomes.h"
#include "policy/situation.h"
#include "policy/smoothing_aids.h"

namespace rocktune {
namespace {

constexpr double kLoadSeconds = 10;
constexpr std::size_t kMostRunning = 32;  // windows are short and knobs rest between changes
// What waits for a culprit to go back waits no longer than such a rollback does: a freeze's time,
// and the minutes in which it is offered or not seen.
constexpr double kJudgedSeconds = kMostFrozenSeconds + kMostUnseenSeconds;
// Steps in a row are one change for so long: the load and what others do are older than that.
constexpr double kMostStepsSeconds = 300;

// What a value of this kind is a share of: its mean over several samples is that of the sums, not
// of the shares. Samples in which hardly anything was written would count as much as any other.
std::string_view weight_of(std::string_view feature) {
  return feature == "write_amplification" ? "user_write_bytes_per_second" : "";
}

// Operations per second; absent when none of them was read.
Value load(const Features& features) {
  Value sum;
  for (const Value& part :
       {features.reads_per_second, features.writes_per_second, features.seeks_per_second}) {
    if (part) sum = sum.value_or(0) + *part;
  }
  return sum;
}

// Somebody else moved the knob away from what we set it to.
bool taken_over(const Decision& decision, const Actuation& actuation, const Features& features,
                const Unreported& under_way) {
  const Proposal& proposal = decision.proposal;
  const KnobReading* knob = features.knobs.find(proposal.knob, proposal.column_family);
  return knob != nullptr && knob->value != actuation.after && !under_way.make(*knob);
}

// As they were before, to be counted anew.
std::vector<SloWatch::Watched> unseen_yet(std::vector<SloWatch::Watched> slos) {
  for (SloWatch::Watched& slo : slos) {
    slo.seen = slo.over = 0;
    slo.seconds = slo.worst_us = 0;
  }
  return slos;
}

}  // namespace

Outcomes::Outcomes(const Objective& objective) {
  slos_.emplace_back(p99_feature(Side::kReads), &Features::read_p99_us, reads_and_seeks,
                     p99_slo_us(objective, Side::kReads));
  slos_.emplace_back(
      p99_feature(Side::kWrites), &Features::write_p99_us,
      [](const Features& f) { return f.writes_per_second; }, p99_slo_us(objective, Side::kWrites));
}

bool Outcomes::goes_on(const Running& earlier, const Decision& decision, const Actuation& actuation,
                       Nanoseconds now) {
  const Proposal &was = earlier.decision.proposal, &is = decision.proposal;
  const bool same = was.rule == is.rule && was.expected.feature == is.expected.feature &&
                    was.expected.lower_is_better == is.expected.lower_is_better;
  const bool on =
      earlier.actuation.after == actuation.before &&
      (earlier.actuation.before < actuation.before) == (actuation.before < actuation.after);
  return same && on && is.knob != knob::kRateLimit &&
         seconds_between(earlier.first_at, now) <= kMostStepsSeconds;
}

// Of the same knob; returns the one that the change is a further step of.
std::optional<Outcomes::Running> Outcomes::cut_others(const Decision& decision,
                                                      const Actuation& actuation, Nanoseconds now) {
  std::optional<Running> earlier;
  for (std::size_t i = 0; i < running_.size();) {
    if (!same_knob(running_[i].decision.proposal, decision.proposal)) {
      running_[i++].other_change = true;
      continue;
    }
    std::string why = "the knob was changed again before the window ended";
    if (goes_on(running_[i], decision, actuation, now)) {
      earlier = running_[i];
      why += ": it is judged together with decision " + decision.id;
    }
    cut_.push_back(cut_short(running_[i], why));
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return earlier;
}

void Outcomes::join(const Running& earlier, Running& running) {
  running.decision.proposal.expected.baseline = earlier.decision.proposal.expected.baseline;
  running.actuation.before = earlier.actuation.before;
  running.load_before = earlier.load_before;
  running.others_before = earlier.others_before;
  running.half.slos = unseen_yet(earlier.half.slos);
  running.first_id = earlier.first_id;
  running.first_at = earlier.first_at;
  running.steps = earlier.steps + 1;
}

void Outcomes::begin(const Decision& decision, const Actuation& actuation,
                     const Features& features) {
  const auto earlier = replace_others(decision, actuation, features);
  if (decision.proposal.knob == knob::kBloomBits) {
    filters_ = FiltersChanged{decision.id, features.at.tick};
  }
  if (decision.proposal.expected.feature.empty()) {
    if (comes_with_limit(decision.proposal.rule)) return;
    unjudged("decision " + decision.id, features.at.tick);
    return;
  }
  if (running_.size() >= kMostRunning) {
    cut_.push_back(
        cut_short(running_.front(), "too many changes were made before its window ended"));
    running_.erase(running_.begin());
  }
  Running running;
  running.decision = decision;
  running.actuation = actuation;
  running.made = running.since = features.at.tick;
  running.load_before = load_.mean(kLoadSeconds).value_or(load(features).value_or(0));
  running.others_before = others_.bytes_per_second();
  for (const SloWatch& slo : slos_) running.half.slos.push_back(slo.begin());
  running.first_id = decision.id;
  running.first_at = features.at.tick;
  if (earlier) join(*earlier, running);
  running.whole.slos = running.half.slos;
  running_.push_back(std::move(running));
}

void Outcomes::keep_for_later(const Running& running, const Finished& finished) {
  if (!finished.worse_by_far && !finished.slo_broken) return;
  if (judged_.size() >= kMostRunning) judged_.erase(judged_.begin());
  judged_.push_back(running);
  judged_.back().waits_for = finished.culprit ? finished.culprit->id : running.decision.id;
  judged_.back().blamed = finished.culprit;
}

void Outcomes::misread(const Decision& decision, const Actuation& actuation,
                       const Features& features) {
  static_cast<void>(replace_others(decision, actuation, features));
  unjudged("decision " + decision.id, features.at.tick);
}

// Of the same knob; returns the one that the change is a further step of.
std::optional<Outcomes::Running> Outcomes::replace_others(const Decision& decision,
                                                          const Actuation& actuation,
                                                          const Features& features) {
  std::erase_if(judged_, [&](const Running& one) {
    return same_knob(one.decision.proposal, decision.proposal);
  });
  ours_[knob_of(decision.proposal)] = actuation.after;
  return cut_others(decision, actuation, features.at.tick);
}

void Outcomes::unjudged(std::string what, Nanoseconds now) {
  unjudged_ = Unjudged{std::move(what), now};
}

// What somebody else changed; a limiter that tunes itself is nobody's change.
void Outcomes::look_at_knobs(const Features& features, const Unreported& under_way) {
  if (features.knobs == knobs_) return;
  for (const KnobReading& knob : features.knobs) {
    const KnobReading* before = knobs_.find(knob.name, knob.column_family);
    const bool by_itself = knob.name == knob::kRateLimit && !knob.changeable;
    if (before == nullptr || before->value == knob.value || by_itself) continue;
    const auto ours = ours_.find({knob.name, knob.column_family});
    if ((ours != ours_.end() && ours->second == knob.value) || under_way.make(knob)) continue;
    if (ours != ours_.end()) ours_.erase(ours);
    unjudged("a change of " + knob.name + text::in_family(knob.column_family) + " by somebody else",
             features.at.tick);
  }
  knobs_ = features.knobs;
  std::erase_if(ours_, [&](const auto& one) {
    return knobs_.find(one.first.first, one.first.second) == nullptr;
  });
}

std::vector<Decision> Outcomes::judge_again(const std::string& culprit, const Features& features,
                                            After after) {
  std::vector<Decision> out;
  for (Running& one : judged_) {
    if (one.waits_for != culprit || running_.size() >= kMostRunning) continue;
    one.since = features.at.tick;
    for (Tally* tally : {&one.whole, &one.half}) {
      std::vector<SloWatch::Watched> slos = unseen_yet(std::move(tally->slos));
      *tally = Tally{};
      tally->slos = std::move(slos);
    }
    const bool freeze = after == After::kFreeze;
    one.again = freeze ? "after a freeze" : "after decision " + culprit + " was taken back";
    if (!freeze) one.blamed.reset();
    one.other_change = false;
    running_.push_back(one);
    out.push_back(one.decision);
  }
  std::erase_if(judged_, [&](const Running& one) { return one.waits_for == culprit; });
  return out;
}

void Outcomes::count(const Features& features, const Running& running, Tally& tally) const {
  ++tally.samples;
  if (Value now = load(features)) {
    ++tally.load_present;
    tally.load_sum += *now;
  }
  if (const Value& others = others_.bytes_per_second()) {
    ++tally.others_present;
    tally.others_sum += *others;
  }
  const std::string& expected = running.decision.proposal.expected.feature;
  const bool of_stalls = expected == "stalled_ratio";
  if (Value value = of_stalls ? lost_share(features) : feature_of(features, expected)) {
    const std::string_view weight = weight_of(expected);
    const double counts = weight.empty() ? 1 : feature_of(features, weight).value_or(0);
    ++tally.present;
    tally.weight += counts;
    tally.sum += counts * *value;
  }
  for (std::size_t i = 0; i < slos_.size(); ++i) {
    slos_[i].count(tally.slos.at(i), features);
  }
}

void Outcomes::put_off(Nanoseconds time, std::vector<Finished>& out) {
  absent_ += time;
  for (Running& running : running_) running.since += time;
  const double seconds = seconds_between({}, absent_);
  if (seconds <= kMostUnseenSeconds) return;
  const std::string why =
      "the database was not read for " + text::duration(seconds) + " before the window ended";
  for (const Running& running : running_) out.push_back(cut_short(running, why));
  running_.clear();
}

std::vector<Finished> Outcomes::observe(const Features& features, const Unreported& under_way) {
  std::vector<Finished> out = std::exchange(cut_, {});
  const Looks::Passed passed = looks_.look(features.at.tick, features.fresh);
  if (passed.unseen && passed.time > Nanoseconds{0}) {
    put_off(passed.time, out);
    if (features.fresh) look_at_knobs(features, under_way);
    return out;  // what this sample tells of is the time that nobody saw
  }
  if (!passed.unseen) absent_ = Nanoseconds{0};
  look_at_knobs(features, under_way);
  std::erase_if(judged_, [&](const Running& one) {
    return taken_over(one.decision, one.actuation, features, under_way) ||
           seconds_between(one.since, features.at.tick) >
               one.decision.proposal.expected.window_seconds + kJudgedSeconds;
  });
  if (Value now = load(features)) load_.add(features.at.tick, *now);
  load_.expire(features.at.tick);
  for (SloWatch& slo : slos_) slo.observe(features);
  others_.observe(features);
  std::vector<Running> ended;
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = running_[i];
    double window = running.decision.proposal.expected.window_seconds;
    double age = seconds_between(running.since, features.at.tick);
    bool taken = taken_over(running.decision, running.actuation, features, under_way);
    if (taken) {
      out.push_back(cut_short(running, "somebody else changed the knob before the window ended"));
    } else {
      count(features, running, running.whole);
      if (age >= window / 2) count(features, running, running.half);
      if (age >= window) ended.push_back(running);
    }
    if (taken || age >= window) {
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  // Judged once all windows know of this sample: a later change may be the culprit.
  for (const Running& running : ended) {
    out.push_back(finish(running, ended));
    keep_for_later(running, out.back());
  }
  return out;
}

std::vector<Finished> Outcomes::end_all(const std::string& why) {
  std::vector<Finished> out = std::exchange(cut_, {});
  for (const Running& running : running_) out.push_back(cut_short(running, why));
  running_.clear();
  judged_.clear();
  knobs_ = {};
  ours_.clear();
  looks_.reset();
  absent_ = Nanoseconds{0};
  load_.clear();
  for (SloWatch& slo : slos_) slo.reset();
  others_ = OthersWork();
  filters_.reset();
  return out;
}

}  // namespace rocktune
