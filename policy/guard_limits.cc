#include "policy/guard_limits.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "model/write_stall.h"
#include "policy/in_common.h"
#include "policy/memory.h"
#include "policy/pins.h"

namespace rocktune {
namespace {

// The budget, less what the other knobs take of it.
std::int64_t memory_ceiling(const LimitInput& input, double each) {
  const MemoryUse use = memory_use(input.features);
  const double own = static_cast<double>(input.reading.value) * each;
  const double others = use.total() - own + input.memory_granted;
  return whole_bytes((memory_budget(input.budget, use) - others) / each);
}

// The share of the memory that is available now which one growth may take.
constexpr double kMemoryShare = 0.5;

std::int64_t least_rate(const Budget& budget) {
  return whole_bytes(std::ceil(budget.rate_limit_min.value));
}

// The end of a range of rates for a raise: the share of the device, but for what was found; and its
// slice of it, while others on it suffer. What it needs least comes first.
std::int64_t highest_rate(const LimitInput& input, const Range& range) {
  std::int64_t most = range.high;
  if (input.rate_budget) {
    most = std::min(most, std::max(*input.rate_budget, input.reading.found));
  }
  const auto& shared = input.features.shared;
  if (shared && shared->background_max_bytes_per_second && input.in_rate_slice) {
    const auto slice = static_cast<double>(*shared->background_max_bytes_per_second);
    most = std::min(most, whole_bytes(slice));
  }
  return std::min(range.high, std::max(range.low, most));
}

}  // namespace

std::int64_t most_jobs(const Budget& budget, const Features& features, const KnobReading& reading) {
  if (budget.jobs_max) return *budget.jobs_max;
  const double cpus = std::min(features.cpus.value_or(0), static_cast<double>(kMostJobs));
  return std::max({static_cast<std::int64_t>(cpus), reading.found, kLeastJobs});
}

std::optional<std::int64_t> most_rate(const Budget& budget, const DeviceCapacities& device) {
  if (!device.write || budget.device_share >= 1) return std::nullopt;
  const double share = budget.device_share * device.write->bytes_per_second;
  return std::max(whole_bytes(share), least_rate(budget));
}

double bytes_each(const LimitInput& input) {
  const std::string_view name = input.spec.name;
  if (name == knob::kCacheCapacity) return 1;
  const bool size = name == knob::kWriteBufferSize;
  if (!size && name != knob::kWriteBuffers) return 0;
  const KnobReading* other = input.features.knobs.find(
      size ? knob::kWriteBuffers : knob::kWriteBufferSize, input.reading.column_family);
  return other == nullptr ? 0 : static_cast<double>(other->value);
}

double nearly_unlimited(const std::optional<double>& passed_peak) {
  return std::max(static_cast<double>(kNearlyUnlimitedBytesPerSecond), 2 * passed_peak.value_or(0));
}

void narrow(Limited& limited, std::int64_t low, std::int64_t high, std::string_view rule,
            const std::string& why_low, const std::string& why_high) {
  std::int64_t value = std::clamp(limited.value, low, std::max(low, high));
  if (value == limited.value) return;
  if (limited.rule.empty()) limited.rule = rule;
  if (!limited.reason.empty()) limited.reason += "; ";
  limited.reason += value > limited.value ? why_low : why_high;
  limited.value = value;
}

Range allowed_range(const LimitInput& input) {
  Range range{std::max(input.spec.min, input.reading.min),
              std::min(input.spec.max, input.reading.max)};
  // Back to what was found is always allowed, also where that is a special value (no filter: 0).
  if (input.proposal.to == input.reading.found) {
    range = {std::min(range.low, input.reading.found), std::max(range.high, input.reading.found)};
  }
  // To the one value that is left, in as many steps as it takes.
  if (input.proposal.rule == kInCommonRule) {
    range = {std::min(range.low, input.proposal.from), std::max(range.high, input.proposal.from)};
  }
  // The operator's word, as the budget is; and what was found is no one's to bound.
  if (input.proposal.rule == kPinRule || input.proposal.rule == kInCommonRule) return range;
  // A budget and a slice bound what is taken. What stands above them comes down in steps, and is
  // not kept up there by a value that they would not allow.
  const bool raises = input.proposal.to > input.proposal.from;
  if (input.spec.name == knob::kRateLimit) {
    if (input.proposal.to != input.reading.found) {
      range.low = std::max(range.low, least_rate(input.budget));
    }
    if (raises) range.high = highest_rate(input, range);
  } else if (!raises) {
    return range;
  } else if (input.spec.name == knob::kBackgroundJobs || input.spec.name == knob::kSubcompactions) {
    range.high = std::min(range.high, most_jobs(input.budget, input.features, input.reading));
  } else if (const double each = bytes_each(input); each > 0) {
    range.high = std::min(range.high, memory_ceiling(input, each));
  }
  return range;
}

std::optional<std::string> apply_range(const LimitInput& input, Limited& limited) {
  Range range = allowed_range(input);
  if (range.low > range.high) {
    return "no value of " + std::string(input.spec.name) + " is allowed: the least is " +
           shown(input.spec, range.low) + ", the most " + shown(input.spec, range.high);
  }
  narrow(limited, range.low, range.high, "range",
         "the least allowed is " + shown(input.spec, range.low),
         "the most allowed is " + shown(input.spec, range.high));
  return std::nullopt;
}

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;

// Memory that is to be taken has to be there.
void relate_to_memory(const LimitInput& input, Limited& limited) {
  const double each = bytes_each(input);
  if (!(each > 0) || limited.value <= input.proposal.from) return;
  if (!input.features.memory_available_bytes) {
    narrow(limited, 0, std::max(input.proposal.from, input.reading.found), "relation", "",
           "available memory was not read: no growth beyond what was found");
    return;
  }
  const double share =
      kMemoryShare * std::max(0.0, *input.features.memory_available_bytes - input.memory_granted);
  const double most = static_cast<double>(input.proposal.from) + share / each;
  narrow(limited, 0, whole_bytes(most), "relation", "",
         "one growth may take half of the memory available, " + text::bytes(share));
}

// A limit of pending bytes of 0 is none, and orders nothing (so has agent/catalogue.cc).
bool is_off(const KnobReading& reading) {
  const bool pending = reading.name == knob::kSoftPending || reading.name == knob::kHardPending;
  return pending && reading.value == 0;
}

// Each within its neighbours.
void relate_in_order(const LimitInput& input, Limited& limited) {
  for (const auto& [low, high] : kKnobOrders) {
    const bool is_low = input.spec.name == low;
    if (!is_low && input.spec.name != high) continue;
    const std::string_view name = is_low ? high : low;
    const KnobReading* other = input.features.knobs.find(name, input.reading.column_family);
    if (other == nullptr || is_off(*other)) continue;
    const std::string beside = std::string(name) + " is " + shown(input.spec, other->value);
    narrow(limited, is_low ? 0 : other->value, is_low ? other->value : kNoLimit, "relation", beside,
           beside);
  }
}

}  // namespace

void apply_relations(const LimitInput& input, Limited& limited) {
  const bool as_found = input.proposal.to == input.reading.found;
  if (input.spec.name == knob::kBackgroundJobs && !as_found) {
    narrow(limited, kLeastJobs, kNoLimit, "relation", std::string(kWhyLeastJobs), "");
  }
  relate_to_memory(input, limited);
  relate_in_order(input, limited);
}

namespace {

// A limiter that is unlimited stands, for the size of a step, at what passed it lately. It becomes
// unlimited in one step only from where it limits next to nothing, or where it was found so.
std::optional<std::string> limiter_step(const LimitInput& input, double& low, double& high) {
  const Proposal& proposal = input.proposal;
  if (proposal.from >= kUnlimitedBytesPerSecond) {
    if (!input.limiter_peak) return "what passes the limiter was not read";
    low = *input.limiter_peak / input.spec.max_step_ratio;
    high = static_cast<double>(kUnlimitedBytesPerSecond);
    return std::nullopt;
  }
  // Each poll that writers stand still costs all of their writes: two steps at once.
  if (writers_stand_still(input.features)) high *= input.spec.max_step_ratio;
  bool nearly = high >= nearly_unlimited(input.limiter_peak);
  bool idle = input.limiter_peak &&
              *input.limiter_peak * input.spec.max_step_ratio <= static_cast<double>(proposal.from);
  if (nearly || idle) high = static_cast<double>(input.spec.max);
  // What was found is known to be borne, and compactions that wait for it are not to climb there.
  high = std::max(high, static_cast<double>(input.reading.found));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> apply_step(const LimitInput& input, Limited& limited) {
  auto from = static_cast<double>(input.proposal.from);
  auto least = static_cast<double>(input.spec.min_step);
  double low = std::min(from / input.spec.max_step_ratio, from - least);
  double high = std::max(from * input.spec.max_step_ratio, from + least);
  if (input.spec.name == knob::kRateLimit) {
    if (auto unknown = limiter_step(input, low, high)) return unknown;
  } else if (input.spec.name == knob::kBackgroundJobs) {
    // Writers who wait for those that were found are not to climb there.
    high = std::max(high, static_cast<double>(input.reading.found));
  }
  Range range = allowed_range(input);
  std::int64_t lowest = std::max(range.low, std::min(whole_bytes(std::ceil(low)), range.high));
  std::int64_t highest = std::min(range.high, std::max(whole_bytes(high), range.low));
  narrow(limited, lowest, highest, "step",
         "one step goes no lower than " + shown(input.spec, lowest),
         "one step goes no higher than " + shown(input.spec, highest));
  return std::nullopt;
}

}  // namespace rocktune
