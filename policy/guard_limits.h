// The guard's clamps: range, relations and step. Each narrows `Limited::value` and says so; clamps
// add up. Internal to policy/. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/decision.h"
#include "model/device_capacities.h"
#include "model/features.h"
#include "model/knobs.h"
#include "model/objective.h"

namespace rocktune {

// At or above this rate a limiter is as good as unlimited, unless more than half of it was seen to
// pass: a change to unlimited is then a small step, however far away the number is. 1 GiB/s of
// background writes is more than a few compaction threads of one database produce.
inline constexpr std::int64_t kNearlyUnlimitedBytesPerSecond = std::int64_t{1} << 30;
double nearly_unlimited(const std::optional<double>& passed_peak);

struct LimitInput {
  const Proposal& proposal;
  const KnobSpec& spec;
  const KnobReading& reading;
  const Features& features;
  const Budget& budget;
  std::optional<double> limiter_peak;  // largest throughput of the limiter in the last 30 s
  double memory_granted = 0;           // bytes, to others in the same step
  bool in_rate_slice = true;           // a raise of the rate keeps within what others leave
  std::optional<std::int64_t> rate_budget = {};  // most_rate(): nor beyond this, or what was found
};

// How many bytes one unit of this knob stands for; 0: it is not about memory.
double bytes_each(const LimitInput& input);

struct Limited {
  std::int64_t value = 0;
  std::string rule;    // the first that clamped; empty: none did
  std::string reason;  // of each that clamped, joined with "; "
};

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

inline constexpr std::int64_t kLeastJobs = 2;
inline constexpr std::string_view kWhyLeastJobs =
    "with fewer than 2 jobs flushes and compactions wait for each other";

// The budget's; else one for each CPU. What the operator had set is not too much.
std::int64_t most_jobs(const Budget& budget, const Features& features, const KnobReading& reading);

// What the budget's share of the device allows background work at most, bytes/s; absent: all of the
// device, or nobody knows how much that is. Never less than `rate_limit_min`.
std::optional<std::int64_t> most_rate(const Budget& budget, const DeviceCapacities& device);

// Triggers and limits that RocksDB expects in this order.
struct KnobOrder {
  std::string_view low, high;
};
inline constexpr KnobOrder kKnobOrders[] = {
    {knob::kL0Trigger, knob::kL0Slowdown},
    {knob::kL0Slowdown, knob::kL0Stop},
    {knob::kSoftPending, knob::kHardPending},
};

// Clamps to [low, high] and says so.
void narrow(Limited& limited, std::int64_t low, std::int64_t high, std::string_view rule,
            const std::string& why_low, const std::string& why_high);

// Catalogue, agent and (but for a pin) budget together. low > high when they exclude each other.
Range allowed_range(const LimitInput& input);

// Clamps into the range; returns why when no value is allowed at all.
std::optional<std::string> apply_range(const LimitInput& input, Limited& limited);
void apply_relations(const LimitInput& input, Limited& limited);
// Clamps to one step; returns why when the step's size cannot be told. The nearest edge of the
// range is always within a step: a value found outside of it may come back in one. Range and
// relations are to be checked once more afterwards.
std::optional<std::string> apply_step(const LimitInput& input, Limited& limited);

}  // namespace rocktune
