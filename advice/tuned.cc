// tuned: what rocktuned has settled on is gone with each opening; the program's own options keep
// it.
#include <algorithm>
#include <string_view>

#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

// Through so long a time the load was of every kind that it has in a day.
constexpr double kLongSettledSeconds = 24 * 3600;

// A rate below what was found is for the moment's reads, writes and device, and of the agent's own
// limiter, which weighs level 0, no option tells.
bool is_for_good(std::string_view name, const SettledKnob& knob) {
  if (name == knob::kRateLimit || name == knob::kDelayedWriteRate) return knob.value > knob.found;
  return name != knob::kL0Weight && name != knob::kLimitFlushes;
}

// Of what kind the cache and the limiter are otherwise stays as it is.
Step step_of(const std::string& name, std::int64_t value) {
  const std::string number = std::to_string(value);
  if (name == knob::kCacheCapacity) return {"block_cache (capacity)", number};
  if (name == knob::kBloomBits) return {"filter_policy", "NewBloomFilterPolicy(" + number + ")"};
  if (name == knob::kRateLimit) return {"rate_limiter (rate_bytes_per_sec)", number};
  return {name, number};
}

// A delay begins at the limiter's rate where the program sets none (SanitizeOptions): with a higher
// limit it would slow nobody down. As it was found, or as somebody else has set it since: what
// rocktuned sets there for the moment is not for good.
std::optional<Step> delay_as_recorded(const KnobReadings& recorded) {
  const KnobReading* delay = recorded.find(knob::kDelayedWriteRate, "");
  if (delay == nullptr) return std::nullopt;
  const std::int64_t rate = delay->owner == KnobOwner::kRocktune ? delay->found : delay->value;
  if (rate <= 0) return std::nullopt;
  return Step{std::string(knob::kDelayedWriteRate), std::to_string(rate)};
}

Fact fact_of(const std::string& name, const SettledKnob& knob) {
  return fact(name, static_cast<double>(knob.value),
              name + " was found at " + shown(name, knob.found) + " and has stood at " +
                  shown(name, knob.value) + " for " + text::duration(knob.seconds));
}

using Knobs = std::map<SettledKnobs::Key, SettledKnob>;

// Of one column family, or of the database.
Advice keep(const Evidence& e, const std::string& family, const Knobs& knobs) {
  Advice out;
  out.column_family = family;
  out.title = "open it with what rocktuned has settled on";
  double shortest = knobs.begin()->second.seconds;
  std::optional<double> reached = 0;
  for (const auto& [key, knob] : knobs) {
    out.evidence.push_back(fact_of(key.first, knob));
    out.steps.push_back(step_of(key.first, knob.value));
    shortest = std::min(shortest, knob.seconds);
    reached = reached && knob.reached_seconds
                  ? std::optional(std::max(*reached, *knob.reached_seconds))
                  : std::nullopt;
  }
  const SettledKnobs::Key limit{knob::kRateLimit, family}, delay{knob::kDelayedWriteRate, family};
  if (knobs.contains(limit) && !knobs.contains(delay)) {
    if (auto step = delay_as_recorded(e.knobs)) out.steps.push_back(*std::move(step));
  }
  out.effect = {"time from an opening until all of it stands again",
                Unit::kSeconds,
                reached,
                0,
                0,
                "what rocktuned sets is gone when the database is closed, and is found anew"};
  const bool long_settled = shortest >= kLongSettledSeconds;
  out.confidence = long_settled ? Confidence::kHigh : Confidence::kMedium;
  out.confidence_reason = long_settled
                              ? "it has stood through a day of this load"
                              : "it has stood for less than a day: not every load was seen";
  out.risk =
      "it becomes what is found: rocktuned, which takes its own changes back when the load does "
      "without them, goes no further back than this";
  out.how = "in the program's own options; rocktuned goes on from there";
  out.source = "the recording: `rocktune explain` has the reason of each change";
  return out;
}

}  // namespace

void judge_tuned(const Evidence& e, Findings& findings) {
  if (e.knobs.empty()) return findings.not_judged("", "the trace has no knobs (a LOG has none)");
  std::map<std::string, Knobs> by_family;
  for (const auto& [key, knob] : e.settled.settled()) {
    const auto& [name, family] = key;
    const bool open = family.empty() || e.families.contains(family);
    if (open && is_for_good(name, knob)) by_family[family].emplace(key, knob);
  }
  if (by_family.empty()) {
    return findings.content("", "no knob stands elsewhere than it was found by rocktuned, for " +
                                    text::duration(kSettledSeconds) + " and more");
  }
  for (const auto& [family, knobs] : by_family) findings.advise(keep(e, family, knobs));
}

}  // namespace rocktune::advice
