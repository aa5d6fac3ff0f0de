#include "policy/give_back.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/guard_limits.h"
#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {
namespace {

constexpr double kGivenWindowSeconds = 15;
// Differences of less than this share are not worth a change.
constexpr double kShareDeadBand = 0.03;
constexpr double kReturnBand = 0.1;
// Of a rate, whose slices follow what the others need from minute to minute.
constexpr double kRateReturnBand = 0.2;
// What nobody needs for so long is given back, however little it is.
constexpr double kForGoodSeconds = 600;
// A backlog that comes and goes is one.
constexpr double kBacklogSeconds = 30;
// A change that was asked for is seen by then.
constexpr double kAnswerSeconds = 5;

bool has_backlog(const PolicyInput& input) {
  return writes_stall(input.features) || backlog_warns(input.indicators);
}

std::optional<std::int64_t> whole(const Counter& counter) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!counter) return std::nullopt;
  return static_cast<std::int64_t>(std::min(*counter, kMost));
}

// The least that this knob is lowered to for others.
std::int64_t least(const PolicyInput& input, const KnobReading& reading) {
  if (reading.name == knob::kRateLimit) {
    return static_cast<std::int64_t>(std::ceil(input.budget.rate_limit_min.value));
  }
  if (reading.name == knob::kBackgroundJobs) return kLeastJobs;
  return least_cache(reading, input.features);
}

// The slice, as a value of this knob.
std::optional<std::int64_t> slice_of(const PolicyInput& input, const KnobReading& reading) {
  const std::optional<SharedBudget>& shared = input.features.shared;
  if (!shared) return std::nullopt;
  if (reading.name == knob::kBackgroundJobs) return whole(shared->jobs_max);
  if (reading.name == knob::kRateLimit) return whole(shared->background_max_bytes_per_second);
  const auto bytes = whole(shared->memory_max_bytes);
  if (!bytes) return std::nullopt;
  const MemoryUse use = memory_use(input.features);
  const double others = use.total() - static_cast<double>(reading.value);
  return whole_bytes(std::max(0.0, static_cast<double>(*bytes) - others));
}

Expectation expect_from(const PolicyInput& input, const KnobReading& reading) {
  const Features& f = input.features;
  if (reading.name == knob::kRateLimit) {
    return {"device_queue", true, f.device_queue, kGivenWindowSeconds};
  }
  if (reading.name == knob::kBackgroundJobs) {
    return {"l0_ratio", true, f.l0_ratio, 2 * kGivenWindowSeconds};
  }
  const Value& hits = f.cache_read_hit_ratio ? f.cache_read_hit_ratio : f.cache_hit_ratio;
  return {"cache_read_hit_ratio", false, hits, 4 * kGivenWindowSeconds};
}

std::string amount_of(const KnobReading& reading, std::int64_t value) {
  std::string amount = shown(reading.name, value);
  if (reading.name == knob::kRateLimit) return amount;
  return amount + (reading.name == knob::kBackgroundJobs ? " background jobs" : " of cache");
}

std::string_view rule_of(const KnobReading& reading) {
  if (reading.name == knob::kRateLimit) return "share.device";
  return reading.name == knob::kBackgroundJobs ? "share.jobs" : "share.memory";
}

// Why the slice is no more than that.
std::string why_lowered(const Features& f, const KnobReading& reading, std::int64_t to) {
  const bool device = reading.name == knob::kRateLimit;
  const std::uint64_t members =
      (device ? f.shared->device_members : f.shared->host_members).value_or(0);
  const std::string amount = amount_of(reading, to);
  if (members > 1) {
    return std::to_string(members) + " databases share " + (device ? "the device" : "the host") +
           ": this one's part is " + amount + " now, since others need theirs";
  }
  if (reading.name != knob::kCacheCapacity) return "the shared budget has " + amount + " for it";
  const MemoryUse use = memory_use(f);
  return "the shared budget has " +
         text::bytes(static_cast<double>(f.shared->memory_max_bytes.value_or(0))) +
         " for it, of which write buffers may take " + text::bytes(use.write_buffers) + ": " +
         amount + " now";
}

}  // namespace

bool is_for_others(const Proposal& proposal) {
  return proposal.rule.starts_with("share.");
}

std::optional<Proposal> GiveBack::lower(const PolicyInput& input, const KnobReading& reading,
                                        std::int64_t most) {
  const std::int64_t to = std::max(most, least(input, reading));
  const auto value = static_cast<double>(reading.value);
  const double band = reading.name == knob::kRateLimit ? kRateShareBand : kShareDeadBand;
  if (static_cast<double>(to) > value * (1 - band)) return std::nullopt;
  const bool backlog = within(backlog_at_, input.features.at.tick, kBacklogSeconds);
  if (reading.name == knob::kRateLimit && backlog) return std::nullopt;
  // Nobody's writers pay for another's wishes in a stall.
  if (reading.name == knob::kBackgroundJobs && writes_stall(input.features)) return std::nullopt;
  Lowered& lowered =
      lowered_.try_emplace(reading.name, Lowered{reading.value, to, reading.value, {}, {}})
          .first->second;
  lowered.to = std::min(lowered.to, to);
  lowered.asked = input.features.at.tick;
  Proposal out = rocktune::propose(reading, to, rule_of(reading));
  out.reason = why_lowered(input.features, reading, to);
  out.expected = expect_from(input, reading);
  return out;
}

std::optional<Proposal> GiveBack::give_again(const PolicyInput& input, const KnobReading& reading,
                                             std::optional<std::int64_t> most) {
  const auto known = lowered_.find(reading.name);
  if (known == lowered_.end()) return std::nullopt;
  const std::int64_t before = known->second.from;
  std::int64_t most_wanted = before;
  if (reading.name == knob::kBackgroundJobs) {
    most_wanted = std::min(before, input.budget.jobs_max.value_or(before));
  }
  const std::int64_t to = std::min(most_wanted, most.value_or(most_wanted));
  if (reading.value >= before) {
    lowered_.erase(known);
    return std::nullopt;
  }
  // What the host lacks is not taken again because others need less.
  if (reading.name == knob::kCacheCapacity && memory_.is_low()) return std::nullopt;
  // Part of the way, or back from little below, only where that is worth it, or for good.
  const bool whole_way = to >= most_wanted;
  const bool part = reading.name == knob::kRateLimit && !whole_way;
  const double least_rise = part ? kRateReturnBand : kReturnBand;
  const double possible = known->second.whole_way.update(whole_way, input.features.at.tick);
  const bool little =
      static_cast<double>(to) < static_cast<double>(reading.value) * (1 + least_rise);
  if (to <= reading.value || (little && possible < kForGoodSeconds)) return std::nullopt;
  Proposal out = rocktune::propose(reading, to, "share.returned");
  // Others have not asked for it: it was so before they could.
  const bool inherited = !known->second.asked;
  out.reason = inherited ? "fewer than were found, and nobody who shares asks for that: back "
                           "towards the " +
                               amount_of(reading, before) + " found"
                         : "the others need no more: back towards the " +
                               amount_of(reading, before) + " from before";
  out.expected = expect_from(input, reading);
  return out;
}

std::optional<Proposal> GiveBack::decide(const PolicyInput& input, const KnobReading& reading,
                                         std::optional<std::int64_t> most) {
  if (most && reading.value > *most) {
    if (auto proposal = lower(input, reading, *most)) return proposal;
  }
  return give_again(input, reading, most);
}

void GiveBack::inherit(const PolicyInput& input) {
  const KnobReading* jobs = input.features.knobs.find(knob::kBackgroundJobs, "");
  const bool shared_before = std::exchange(
      shared_, input.features.shared.has_value() && input.features.shared->jobs_max.has_value());
  const bool begins = scope_ == GuardScope::kAll && !shared_before && shared_;
  if (jobs == nullptr || (inherited_ && !begins)) return;
  inherited_ = true;
  if (!is_lowered(*jobs)) return;
  lowered_.try_emplace(jobs->name, Lowered{jobs->found, jobs->value, jobs->value, {}, {}});
}

void GiveBack::propose(const PolicyInput& input, std::vector<Proposal>& proposals) {
  if (!input.features.fresh) return;
  memory_.observe(input.features);
  if (has_backlog(input)) backlog_at_ = input.features.at.tick;
  inherit(input);
  if (!input.features.shared && lowered_.empty()) return;
  for (const std::string_view name :
       {knob::kRateLimit, knob::kBackgroundJobs, knob::kCacheCapacity}) {
    if (name == knob::kRateLimit && scope_ != GuardScope::kAll) continue;
    const KnobReading* reading = changeable_knob(input.features, name);
    if (reading == nullptr) continue;
    const auto wanted =
        std::find_if(proposals.begin(), proposals.end(),
                     [&](const Proposal& other) { return same_knob(other, *reading); });
    // What the policy itself wants low is not given back to it.
    const bool wanted_low = wanted != proposals.end() && wanted->to < wanted->from;
    // Nor what it, or somebody else, has set since: where it stood before is no longer anybody's
    // wish.
    const auto known = lowered_.find(reading->name);
    if (known != lowered_.end()) {
      Lowered& lowered = known->second;
      const bool asked = within(lowered.asked, input.features.at.tick, kAnswerSeconds);
      const bool kept = !asked && reading->value == lowered.seen;  // others are content with this
      if (reading->value > lowered.seen || kept) lowered.to = reading->value;
      lowered.seen = reading->value;
    }
    const bool moot = known != lowered_.end() &&
                      (reading->owner == KnobOwner::kManual || reading->value < known->second.to);
    if (moot) lowered_.erase(known);
    auto mine = decide(input, *reading, slice_of(input, *reading));
    if (!mine || (wanted_low && mine->to > mine->from)) continue;
    if (wanted == proposals.end()) {
      proposals.push_back(*std::move(mine));
    } else if (mine->to < wanted->to && mine->to < mine->from) {
      *wanted = *std::move(mine);
    }
  }
}

}  // namespace rocktune
