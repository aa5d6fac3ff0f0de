#include "policy/guard_limits.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "policy/pins.h"

namespace rocktune {
namespace {

// A double as an integer without overflow.
std::int64_t whole(double value) {
  constexpr double kLargest = 9e18;
  return static_cast<std::int64_t>(std::clamp(value, -kLargest, kLargest));
}

std::int64_t jobs_ceiling(const LimitInput& input) {
  if (input.budget.jobs_max) return *input.budget.jobs_max;
  std::int64_t cpus = whole(input.features.cpus.value_or(0));
  // What the operator had set is not too much, and RocksDB needs two.
  return std::max({cpus, input.reading.found, std::int64_t{2}});
}

std::int64_t cache_ceiling(const LimitInput& input) {
  return input.budget.cache_max ? input.budget.cache_max->value : input.reading.found;
}

// The share of the memory that is available now which one growth of the cache may take.
constexpr double kMemoryShare = 0.5;

}  // namespace

std::string shown(const KnobSpec& spec, std::int64_t value) {
  if (spec.unit == "bytes/s") {
    return value >= kUnlimitedBytesPerSecond ? "unlimited" : text::rate(static_cast<double>(value));
  }
  if (spec.unit == "bytes") return text::bytes(static_cast<double>(value));
  return std::to_string(value);
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
  if (input.proposal.rule == kPinRule) return range;  // the operator's word, as the budget is
  if (input.spec.name == knob::kRateLimit) {
    range.low = std::max(range.low, whole(std::ceil(input.budget.rate_limit_min.value)));
  } else if (input.spec.name == knob::kBackgroundJobs) {
    range.high = std::min(range.high, jobs_ceiling(input));
  } else if (input.spec.name == knob::kCacheCapacity) {
    range.high = std::min(range.high, cache_ceiling(input));
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

void apply_relations(const LimitInput& input, Limited& limited) {
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;
  if (input.spec.name == knob::kBackgroundJobs) {
    narrow(limited, 2, kNoLimit, "relation",
           "with fewer than 2 jobs flushes and compactions wait for each other", "");
  }
  bool grows = limited.value > input.proposal.from;
  if (input.spec.name != knob::kCacheCapacity || !grows) return;
  if (!input.features.memory_available_bytes) {
    narrow(limited, 0, std::max(input.proposal.from, input.reading.found), "relation", "",
           "available memory was not read: the cache grows no further than it was found");
    return;
  }
  double share = kMemoryShare * *input.features.memory_available_bytes;
  double most = static_cast<double>(input.proposal.from) + share;
  narrow(limited, 0, whole(most), "relation", "",
         "one growth may take half of the memory available, " + text::bytes(share));
}

namespace {

// A limiter that is unlimited stands, for the size of a step, at what passed it lately; and it
// becomes unlimited in one step only from where it limits next to nothing.
std::optional<std::string> limiter_step(const LimitInput& input, double& low, double& high) {
  const Proposal& proposal = input.proposal;
  if (proposal.from >= kUnlimitedBytesPerSecond) {
    if (!input.limiter_peak) return "what passes the limiter was not read";
    low = *input.limiter_peak / input.spec.max_step_ratio;
    high = static_cast<double>(kUnlimitedBytesPerSecond);
    return std::nullopt;
  }
  bool nearly = high >= static_cast<double>(kNearlyUnlimitedBytesPerSecond);
  bool idle = input.limiter_peak &&
              *input.limiter_peak * input.spec.max_step_ratio <= static_cast<double>(proposal.from);
  if (nearly || idle) high = static_cast<double>(input.spec.max);
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
  }
  Range range = allowed_range(input);
  std::int64_t lowest = std::max(range.low, std::min(whole(std::ceil(low)), range.high));
  std::int64_t highest = std::min(range.high, std::max(whole(high), range.low));
  narrow(limited, lowest, highest, "step",
         "one step goes no lower than " + shown(input.spec, lowest),
         "one step goes no higher than " + shown(input.spec, highest));
  return std::nullopt;
}

}  // namespace rocktune
