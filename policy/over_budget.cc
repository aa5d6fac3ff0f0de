#include "policy/over_budget.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/guard_limits.h"
#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {
namespace {

// Less than this share of the budget beyond it is not worth a change.
constexpr double kOverBand = 0.01;

bool may_return(const KnobReading& reading, const Pins& pins) {
  return reading.changeable && is_raised(reading) && !pins.contains(reading.name);
}

Proposal back(const KnobReading& reading, std::int64_t to, std::string why) {
  Proposal out = propose(reading, std::max(to, reading.found), kBudgetRule);
  out.reason = std::move(why);
  return out;
}

void return_jobs(std::int64_t most, const Pins& pins, const Features& f,
                 std::vector<Proposal>& out) {
  for (const std::string_view name : {knob::kBackgroundJobs, knob::kSubcompactions}) {
    const KnobReading* reading = f.knobs.find(name, "");
    if (reading == nullptr || !may_return(*reading, pins) || reading->value <= most) continue;
    out.push_back(back(*reading, most, "budget.jobs_max is " + std::to_string(most)));
  }
}

void return_rate(std::int64_t most, double share, const Pins& pins, const Features& f,
                 std::vector<Proposal>& out) {
  const KnobReading* limiter = f.knobs.find(knob::kRateLimit, "");
  if (limiter == nullptr || !may_return(*limiter, pins) || limiter->value <= most) return;
  out.push_back(back(*limiter, most,
                     "budget.device_share is " + text::exact(share) + ": " +
                         shown(knob::kRateLimit, most) + " of the device"));
}

// Its part of what is over, in bytes; the rest stays in `over`.
void return_memory(const KnobReading& reading, double bytes_each, const std::string& why,
                   double& over, std::vector<Proposal>& out) {
  if (over <= 0 || bytes_each <= 0) return;
  const double less = std::ceil(over / bytes_each);
  const double to = static_cast<double>(reading.value) - less;
  out.push_back(back(reading, whole_bytes(std::max(to, 0.0)), why));
  over -= static_cast<double>(reading.value - out.back().to) * bytes_each;
}

void return_memory(double most, const Pins& pins, const Features& f, std::vector<Proposal>& out) {
  const MemoryUse use = memory_use(f);
  const double allowed = std::max(most, use.found_cache + use.found_buffers);
  double over = use.total() - allowed;
  if (over <= kOverBand * allowed) return;
  const std::string why = "cache and write buffers may take " + text::bytes(use.total()) +
                          ", and budget.memory_max is " + text::bytes(most);
  const KnobReading* cache = f.knobs.find(knob::kCacheCapacity, "");
  if (cache != nullptr && may_return(*cache, pins)) return_memory(*cache, 1, why, over, out);
  for (const KnobReading& reading : f.knobs) {
    if (reading.name != knob::kWriteBufferSize || !may_return(reading, pins)) continue;
    const KnobReading* number = f.knobs.find(knob::kWriteBuffers, reading.column_family);
    if (number == nullptr) continue;
    return_memory(reading, static_cast<double>(number->value), why, over, out);
  }
}

}  // namespace

std::vector<Proposal> propose_within_budget(const EngineConfig& config, const Features& features) {
  const Budget& budget = config.budget;
  std::vector<Proposal> out;
  if (!features.fresh) return out;
  if (const auto most = most_rate(budget, config.objective.device_capacities)) {
    return_rate(*most, budget.device_share, config.pins, features, out);
  }
  if (budget.jobs_max) return_jobs(*budget.jobs_max, config.pins, features, out);
  if (budget.memory_max) {
    return_memory(static_cast<double>(budget.memory_max->value), config.pins, features, out);
  }
  return out;
}

}  // namespace rocktune
