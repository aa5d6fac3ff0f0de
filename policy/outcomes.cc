#include "policy/outcomes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/urgent.h"

namespace rocktune {
namespace {

constexpr double kRelativeTolerance = 0.10;
constexpr double kFarFactor = 5;
constexpr double kLoadTolerance = 0.30;

// By how much a value of this kind moves without any cause, by its name or the unit that ends it.
struct UnitTolerance {
  std::string_view suffix;
  double amount;
};
// Shares of L0 and memtables are saw-teeth: each flush and each compaction moves them.
constexpr std::array<UnitTolerance, 13> kUnitTolerances{{
    {"l0_ratio", 0.10},
    {"memtable_ratio", 0.25},
    {"stalled_ratio", 0.05},
    {"write_stopped", 0.05},  // of samples of 0 and 1, as many as of stalled_ratio
    {"_ratio", 0.02},
    {"_us", 50},
    {"_ms", 0.5},
    {"_files", 1},
    {"_bytes_per_second", 1 << 20},
    {"_per_second", 10},
    {"_bytes", 16 << 20},
    {"_memtables", 0.5},
    {"write_amplification", 1},
}};

double mean_load(double sum, int present, double otherwise) {
  return present > 0 ? sum / present : otherwise;
}

bool load_differs(double before, double after) {
  return std::abs(after - before) > kLoadTolerance * std::max(before, 1.0);
}

// Others write so much more than before that the device is another one.
constexpr double kLeastMore = 1 << 20;

// Within this time files with other filters take the place of those that reads look into most.
constexpr double kFiltersComeSeconds = 600;

constexpr std::size_t kReads = 0;  // of Outcomes::slos_

// A mean over at least a second or so: what a change did is not seen in one sample. Of the second
// half of a window where polls are far apart.
constexpr int kLeastSamples = 3, kLeastOfHalf = 2;

// A relief that reads may have to pay for: the backlog wins.
bool reads_may_pay(const Proposal& proposal) {
  return relieves_stall(proposal) && proposal.to > proposal.from;
}

// By how much the expected feature got better; below zero: worse.
double gain_of(const Expectation& expected, double before, double measured) {
  return expected.lower_is_better ? before - measured : measured - before;
}

}  // namespace

double Outcomes::tolerance(const std::string& feature, double baseline) {
  double amount = 0;
  for (const UnitTolerance& unit : kUnitTolerances) {
    if (!feature.ends_with(unit.suffix)) continue;
    amount = unit.amount;
    break;
  }
  return std::max(amount, kRelativeTolerance * std::abs(baseline));
}

Finished Outcomes::cut_short(const Running& running, const std::string& why) {
  Finished out;
  out.outcome = {running.decision.id, "unknown", std::nullopt, why};
  out.proposal = running.decision.proposal;
  out.actuation = running.actuation;
  return out;
}

Finished Outcomes::finish(const Running& running, const std::vector<Running>& ended) const {
  const Expectation& expected = running.decision.proposal.expected;
  const Tally& half = running.half;
  const std::string others = others_wrote_more(running);
  bool by_others = false;
  Finished out = cut_short(running, expected.feature + " was not read often enough to tell");
  if (other_look_ups(running)) {
    out.outcome.reason = expected.feature +
                         " tells nothing: filters spare look-ups since decision " + filters_->id +
                         ", and others hit at another rate";
  } else if (!expected.baseline) {
    out.outcome.reason = expected.feature + " was not known when this was decided";
  } else if (half.weight > 0 && 2 * half.present >= half.samples) {
    const double before = *expected.baseline, measured = half.sum / half.weight;
    double tolerated = tolerance(expected.feature, before);
    out.outcome.measured = measured;
    out.outcome.reason = expected.feature + " went from " + text::number(before, 3) + " to " +
                         text::number(measured, 3) + " (tolerance " + text::number(tolerated, 3) +
                         ")";
    by_others =
        judge(running, gain_of(expected, before, measured), tolerated, !others.empty(), out);
  }
  by_others = judge_slos(running, !others.empty(), out) || by_others;
  if (by_others) out.outcome.reason += others;
  if (running.other_change) out.outcome.reason += "; another knob was changed meanwhile";
  if (running.steps > 1) {
    out.outcome.reason += "; judged together with the " + std::to_string(running.steps - 1) +
                          " before it, from decision " + running.first_id + " on";
  }
  if (!running.again.empty()) out.outcome.reason += "; judged again " + running.again;
  if (out.worse_by_far || out.slo_broken) {
    out.culprit = running.blamed ? running.blamed : find_culprit(running, ended);
  }
  if (out.culprit && !may_go_back(out.culprit->proposal)) {
    out.outcome.reason += "; decision " + out.culprit->id +
                          " came later and is the newest that got worse (" + out.culprit->why +
                          "), and is not to be taken back";
  }
  return out;
}

bool Outcomes::other_look_ups(const Running& running) const {
  return filters_ && running.decision.proposal.expected.feature == "cache_read_hit_ratio" &&
         seconds_between(filters_->tick, running.first_at) < kFiltersComeSeconds;
}

std::string Outcomes::others_wrote_more(const Running& running) {
  const Tally& half = running.half;
  if (!running.others_before || half.others_present == 0) return "";
  const double before = *running.others_before, after = half.others_sum / half.others_present;
  if (after - before < std::max(kLeastMore, kLoadTolerance * before)) return "";
  return "; others wrote " + text::rate(after) + " on the same device, and " + text::rate(before) +
         " before, which may explain it";
}

bool Outcomes::judge(const Running& running, double gain, double tolerated, bool others_more,
                     Finished& out) {
  double before = running.load_before;
  double after = mean_load(running.half.load_sum, running.half.load_present, before);
  double moved = after - before;
  out.load_changed = load_differs(before, after);
  bool better = gain > tolerated, worse = gain < -tolerated;
  const bool by_load = out.load_changed && ((worse && moved > 0) || (better && moved < 0));
  const bool by_others = worse && others_more;
  const bool explained = by_load || by_others;
  out.outcome.result = explained ? "unknown" : better ? "better" : worse ? "worse" : "unchanged";
  // One reading of a saw-tooth is no reason to take anything back.
  const bool enough = running.half.present >= kLeastOfHalf;
  out.worse_by_far = !explained && enough && gain < -kFarFactor * tolerated;
  if (!out.load_changed) return by_others;
  out.outcome.reason += std::string("; the load ") + (moved > 0 ? "rose" : "fell") + " from " +
                        text::amount(before) + " to " + text::amount(after) + " operations/s";
  if (by_load) out.outcome.reason += ", which may explain it";
  return by_others;
}

bool Outcomes::judge_slos(const Running& running, bool others_more, Finished& out) const {
  const Tally& half = running.half;
  double after = mean_load(half.load_sum, half.load_present, running.load_before);
  if (load_differs(running.load_before, after)) return false;
  const Proposal& proposal = running.decision.proposal;
  // Memory that the host lacks is not taken again because reads miss it.
  const KnobSpec* spec = find_knob(proposal.knob);
  if (spec != nullptr && protects_host(proposal, *spec)) return false;
  bool any = false;
  for (std::size_t i = 0; i < slos_.size(); ++i) {
    auto broken = slos_[i].broken(half.slos.at(i));
    if (!broken || (i == kReads && reads_may_pay(proposal))) continue;
    // Slow as they are, they are faster for it: it was made as they had become slow.
    const bool gained =
        out.outcome.result == "better" && proposal.expected.feature == slos_[i].name();
    if (gained) continue;
    out.outcome.reason += "; " + broken->text;
    any = true;
    if (others_more) continue;
    if (unjudged_ && unjudged_->tick > running.first_at) {
      out.outcome.reason += "; " + unjudged_->what + ", which is not judged, came later";
      continue;
    }
    out.slo_broken = true;
    out.broken = Driver{broken->feature, broken->worst_us, broken->limit_us};
    out.outcome.result = "worse";
  }
  return any && others_more;
}

// What got worse since a change whose window is still open; empty: nothing did.
std::string Outcomes::why_worse(const Running& running) const {
  const Expectation& expected = running.decision.proposal.expected;
  const Tally& whole = running.whole;
  bool gained = false;
  const bool seen = whole.weight > 0 && whole.present >= kLeastSamples;
  if (seen && expected.baseline && !other_look_ups(running)) {
    const double before = *expected.baseline, measured = whole.sum / whole.weight;
    const double gain = gain_of(expected, before, measured);
    const double tolerated = tolerance(expected.feature, before);
    gained = gain > tolerated;
    if (gain < -tolerated) {
      return expected.feature + " went from " + text::number(before, 3) + " to " +
             text::number(measured, 3) + " since";
    }
  }
  for (std::size_t i = 0; i < slos_.size(); ++i) {
    if (i == kReads && reads_may_pay(running.decision.proposal)) continue;
    if (gained && expected.feature == slos_[i].name()) continue;
    if (auto broken = slos_[i].broken(whole.slos.at(i))) return broken->text;
  }
  return "";
}

std::optional<Culprit> Outcomes::find_culprit(const Running& running,
                                              const std::vector<Running>& ended) const {
  const Running* newest = &running;
  std::string why;
  for (const std::vector<Running>* group : {&running_, &ended}) {
    for (const Running& other : *group) {
      if (other.made <= newest->made) continue;
      std::string worse = why_worse(other);
      if (worse.empty()) continue;
      newest = &other;
      why = std::move(worse);
    }
  }
  if (newest == &running) return std::nullopt;
  return Culprit{newest->decision.id, newest->decision.proposal, newest->actuation, why};
}

}  // namespace rocktune
