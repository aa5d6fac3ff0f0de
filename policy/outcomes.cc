#include "policy/outcomes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "model/text.h"

namespace rocktune {
namespace {

constexpr double kRelativeTolerance = 0.10;
constexpr double kFarFactor = 5;
constexpr double kLoadTolerance = 0.30;
constexpr double kLoadSeconds = 10;
constexpr std::size_t kMostRunning = 32;  // windows are short and knobs rest between changes

// By how much a value of this kind moves without any cause, by its name or the unit that ends it.
struct UnitTolerance {
  std::string_view suffix;
  double amount;
};
// Shares of L0 and memtables are saw-teeth: each flush and each compaction moves them.
constexpr std::array<UnitTolerance, 11> kUnitTolerances{{
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
}};

Value value_of(const Features& features, const std::string& name) {
  Value found;
  Features::visit_values(features, [&](std::string_view one, const Value& value) {
    if (one == name) found = value;
  });
  return found;
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

Finished Outcomes::finish(const Running& running) {
  const Expectation& expected = running.decision.proposal.expected;
  if (running.present == 0 || 2 * running.present < running.samples) {
    return cut_short(running, expected.feature + " was not read often enough to tell");
  }
  double measured = running.sum / running.present;
  double gain =
      expected.lower_is_better ? expected.baseline - measured : measured - expected.baseline;
  double tolerated = tolerance(expected.feature, expected.baseline);
  Finished out = cut_short(running, "");
  out.outcome.measured = measured;
  out.outcome.reason = expected.feature + " went from " + text::number(expected.baseline, 3) +
                       " to " + text::number(measured, 3) + " (tolerance " +
                       text::number(tolerated, 3) + ")";
  judge(running, gain, tolerated, out);
  if (running.other_change) out.outcome.reason += "; another knob was changed meanwhile";
  return out;
}

void Outcomes::judge(const Running& running, double gain, double tolerated, Finished& out) {
  double before = running.load_before;
  double after = running.load_present > 0 ? running.load_sum / running.load_present : before;
  double moved = after - before;
  out.load_changed = std::abs(moved) > kLoadTolerance * std::max(before, 1.0);
  bool better = gain > tolerated, worse = gain < -tolerated;
  bool explained = out.load_changed && ((worse && moved > 0) || (better && moved < 0));
  out.outcome.result = explained ? "unknown" : better ? "better" : worse ? "worse" : "unchanged";
  out.worse_by_far = !explained && gain < -kFarFactor * tolerated;
  if (!out.load_changed) return;
  out.outcome.reason += std::string("; the load ") + (moved > 0 ? "rose" : "fell") + " from " +
                        text::amount(before) + " to " + text::amount(after) + " operations/s";
  if (explained) out.outcome.reason += ", which may explain it";
}

void Outcomes::begin(const Decision& decision, const Actuation& actuation,
                     const Features& features) {
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
  running_.push_back(std::move(running));
}

std::vector<Finished> Outcomes::observe(const Features& features) {
  std::vector<Finished> out = std::exchange(cut_, {});
  Value load_now = load(features);
  if (load_now) load_.add(features.at.tick, *load_now);
  load_.expire(features.at.tick);
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = running_[i];
    const Expectation& expected = running.decision.proposal.expected;
    if (taken_over(running.decision, running.actuation, features)) {
      out.push_back(cut_short(running, "somebody else changed the knob before the window ended"));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    double age = seconds_between(running.since, features.at.tick);
    if (age >= expected.window_seconds / 2) {
      ++running.samples;
      if (load_now) {
        ++running.load_present;
        running.load_sum += *load_now;
      }
      if (Value value = value_of(features, expected.feature)) {
        ++running.present;
        running.sum += *value;
      }
    }
    if (age < expected.window_seconds) {
      ++i;
      continue;
    }
    out.push_back(finish(running));
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return out;
}

std::vector<Finished> Outcomes::end_all(const std::string& why) {
  std::vector<Finished> out = std::exchange(cut_, {});
  for (const Running& running : running_) out.push_back(cut_short(running, why));
  running_.clear();
  load_.clear();
  return out;
}

}  // namespace rocktune
