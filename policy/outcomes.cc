#include "policy/outcomes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "model/text.h"
#include "policy/urgent.h"

namespace rocktune {
namespace {

constexpr double kRelativeTolerance = 0.10;
constexpr double kFarFactor = 5;
constexpr double kLoadTolerance = 0.30;
constexpr double kLoadSeconds = 10;
constexpr std::size_t kMostRunning = 32;  // windows are short and knobs rest between changes
// What the feature was longer ago than this says nothing of what the change did.
constexpr double kMostUnseenSeconds = 300;
// What waits for a culprit to go back waits no longer than such a rollback is offered (a minute),
// and the time that one may not be seen.
constexpr double kJudgedSeconds = 300;

// By how much a value of this kind moves without any cause, by its name or the unit that ends it.
struct UnitTolerance {
  std::string_view suffix;
  double amount;
};
// Shares of L0 and memtables are saw-teeth: each flush and each compaction moves them.
constexpr std::array<UnitTolerance, 12> kUnitTolerances{{
    {"l0_ratio", 0.10},
    {"memtable_ratio", 0.25},
    {"stalled_ratio", 0.05},
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

Value value_of(const Features& features, std::string_view name) {
  Value found;
  Features::visit_values(features, [&](std::string_view one, const Value& value) {
    if (one == name) found = value;
  });
  return found;
}

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
bool taken_over(const Decision& decision, const Actuation& actuation, const Features& features) {
  return std::any_of(features.knobs.begin(), features.knobs.end(), [&](const KnobReading& knob) {
    return knob.name == decision.proposal.knob &&
           knob.column_family == decision.proposal.column_family && knob.value != actuation.after;
  });
}

double mean_load(double sum, int present, double otherwise) {
  return present > 0 ? sum / present : otherwise;
}

bool load_differs(double before, double after) {
  return std::abs(after - before) > kLoadTolerance * std::max(before, 1.0);
}

// Others write so much more than before that the device is another one.
constexpr double kLeastMore = 1 << 20;

constexpr std::size_t kReads = 0;  // of Outcomes::slos_

// A mean over at least a second or so: what a change did is not seen in one sample.
constexpr int kLeastSamples = 3;

// By how much the expected feature got better; below zero: worse.
double gain_of(const Expectation& expected, double measured) {
  return expected.lower_is_better ? expected.baseline - measured : measured - expected.baseline;
}

bool same_knob(const Proposal& a, const Proposal& b) {
  return a.knob == b.knob && a.column_family == b.column_family;
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
  if (half.weight > 0 && 2 * half.present >= half.samples) {
    double measured = half.sum / half.weight;
    double tolerated = tolerance(expected.feature, expected.baseline);
    out.outcome.measured = measured;
    out.outcome.reason = expected.feature + " went from " + text::number(expected.baseline, 3) +
                         " to " + text::number(measured, 3) + " (tolerance " +
                         text::number(tolerated, 3) + ")";
    by_others = judge(running, gain_of(expected, measured), tolerated, !others.empty(), out);
  }
  by_others = judge_slos(running, !others.empty(), out) || by_others;
  if (by_others) out.outcome.reason += others;
  if (running.other_change) out.outcome.reason += "; another knob was changed meanwhile";
  if (!running.again.empty()) {
    out.outcome.reason += "; judged again after decision " + running.again + " was taken back";
  }
  if (out.worse_by_far || out.slo_broken) out.culprit = find_culprit(running, ended);
  if (out.culprit && !may_go_back(out.culprit->proposal)) {
    out.outcome.reason += "; decision " + out.culprit->id +
                          " came later and is the newest that got worse (" + out.culprit->why +
                          "), and is not to be taken back";
  }
  return out;
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
  out.worse_by_far = !explained && gain < -kFarFactor * tolerated;
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
  const bool relieves = relieves_stall(proposal) && proposal.to > proposal.from;
  bool any = false;
  for (std::size_t i = 0; i < slos_.size(); ++i) {
    auto broken = slos_[i].broken(half.slos.at(i));
    if (!broken || (i == kReads && relieves)) continue;
    out.outcome.reason += "; " + *broken;
    any = true;
    if (others_more) continue;
    out.slo_broken = true;
    out.outcome.result = "worse";
  }
  return any && others_more;
}

// What got worse since a change whose window is still open; empty: nothing did.
std::string Outcomes::why_worse(const Running& running) const {
  const Expectation& expected = running.decision.proposal.expected;
  const Tally& whole = running.whole;
  if (whole.weight > 0 && whole.present >= kLeastSamples) {
    double measured = whole.sum / whole.weight;
    if (gain_of(expected, measured) < -tolerance(expected.feature, expected.baseline)) {
      return expected.feature + " went from " + text::number(expected.baseline, 3) + " to " +
             text::number(measured, 3) + " since";
    }
  }
  for (std::size_t i = 0; i < slos_.size(); ++i) {
    if (auto broken = slos_[i].broken(whole.slos.at(i))) return *broken;
  }
  return "";
}

std::optional<Culprit> Outcomes::find_culprit(const Running& running,
                                              const std::vector<Running>& ended) const {
  const Running* newest = &running;
  std::string why;
  for (const std::vector<Running>* group : {&running_, &ended}) {
    for (const Running& other : *group) {
      if (other.since <= newest->since) continue;
      std::string worse = why_worse(other);
      if (worse.empty()) continue;
      newest = &other;
      why = std::move(worse);
    }
  }
  if (newest == &running) return std::nullopt;
  return Culprit{newest->decision.id, newest->decision.proposal, newest->actuation, why};
}

Outcomes::Outcomes(const Objective& objective) {
  slos_.emplace_back("read_p99_us", &Features::read_p99_us, objective.read_p99_seconds * 1e6);
  slos_.emplace_back("write_p99_us", &Features::write_p99_us, objective.write_p99_seconds * 1e6);
}

void Outcomes::begin(const Decision& decision, const Actuation& actuation,
                     const Features& features) {
  std::erase_if(judged_, [&](const Running& one) {
    return same_knob(one.decision.proposal, decision.proposal);
  });
  for (std::size_t i = 0; i < running_.size();) {
    if (!same_knob(running_[i].decision.proposal, decision.proposal)) {
      running_[i++].other_change = true;
      continue;
    }
    cut_.push_back(cut_short(running_[i], "the knob was changed again before the window ended"));
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (decision.proposal.expected.feature.empty()) return;
  if (running_.size() >= kMostRunning) running_.erase(running_.begin());
  Running running;
  running.decision = decision;
  running.actuation = actuation;
  running.since = features.at.tick;
  running.load_before = load_.mean(kLoadSeconds).value_or(load(features).value_or(0));
  running.others_before = others_.bytes_per_second();
  for (const SloWatch& slo : slos_) running.half.slos.push_back(slo.begin());
  running.whole.slos = running.half.slos;
  running_.push_back(std::move(running));
}

void Outcomes::keep_for_later(const Running& running, const Finished& finished) {
  if (!finished.culprit || judged_.size() >= kMostRunning) return;
  judged_.push_back(running);
  judged_.back().waits_for = finished.culprit->id;
}

void Outcomes::judge_again(const std::string& culprit, const Features& features) {
  for (Running& one : judged_) {
    if (one.waits_for != culprit || running_.size() >= kMostRunning) continue;
    one.since = features.at.tick;
    for (Tally* tally : {&one.whole, &one.half}) {
      std::vector<SloWatch::Watched> slos = std::move(tally->slos);
      for (SloWatch::Watched& slo : slos) slo.seen = slo.over = 0;
      *tally = Tally{};
      tally->slos = std::move(slos);
    }
    one.again = culprit;
    one.other_change = false;
    running_.push_back(one);
  }
  std::erase_if(judged_, [&](const Running& one) { return one.waits_for == culprit; });
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
  if (Value value = value_of(features, expected)) {
    const std::string_view weight = weight_of(expected);
    const double counts = weight.empty() ? 1 : value_of(features, weight).value_or(0);
    ++tally.present;
    tally.weight += counts;
    tally.sum += counts * *value;
  }
  for (std::size_t i = 0; i < slos_.size(); ++i) {
    slos_[i].count(tally.slos.at(i), features);
  }
}

// Seconds since the last sample, when nobody read the database meanwhile.
double Outcomes::unseen(const Features& features) {
  const Nanoseconds now = features.at.tick;
  const double gap = gaps_.look(now);
  const double passed = last_ && now > *last_ ? seconds_between(*last_, now) : 0;
  last_ = now;
  return features.fresh ? gap : passed;
}

void Outcomes::put_off(double seconds, std::vector<Finished>& out) {
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = running_[i];
    running.since +=
        std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
    running.unseen_seconds += seconds;
    if (running.unseen_seconds <= kMostUnseenSeconds) {
      ++i;
      continue;
    }
    out.push_back(cut_short(running, "the database was not read for " +
                                         text::duration(running.unseen_seconds) +
                                         " before the window ended"));
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::vector<Finished> Outcomes::observe(const Features& features) {
  std::vector<Finished> out = std::exchange(cut_, {});
  if (const double seconds = unseen(features); seconds > 0) {
    put_off(seconds, out);
    return out;  // what this sample tells of is the time that nobody saw
  }
  std::erase_if(judged_, [&](const Running& one) {
    return taken_over(one.decision, one.actuation, features) ||
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
    bool taken = taken_over(running.decision, running.actuation, features);
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
  gaps_.reset();
  last_.reset();
  load_.clear();
  for (SloWatch& slo : slos_) slo.reset();
  others_ = OthersWork();
  return out;
}

}  // namespace rocktune
