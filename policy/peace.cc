#include "policy/peace.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/knobs.h"

namespace rocktune {
namespace {

constexpr double kPeaceSeconds = 600;
constexpr std::array<std::string_view, 5> kTries{"limiter.pace", "jobs.spared", "write_size.reads",
                                                 "l0_trigger.writes", "shape.try"};

bool is_try(const Proposal& proposal) {
  return std::find(kTries.begin(), kTries.end(), proposal.rule) != kTries.end();
}

// Of knobs that both have; who owns them, or may change them, is another matter.
bool another_value(const KnobReadings& before, const KnobReadings& now) {
  if (before == now) return false;
  return std::any_of(now.begin(), now.end(), [&before](const KnobReading& knob) {
    const KnobReading* was = before.find(knob.name, knob.column_family);
    return was != nullptr && !turned_by_others(*was, knob) && was->value != knob.value;
  });
}

}  // namespace

bool turned_by_others(const KnobReading& before, const KnobReading& now) {
  return before.owner == KnobOwner::kManual && now.owner == KnobOwner::kManual &&
         before.name == knob::kRateLimit;
}

void Peace::observe(const Situation& situation) {
  const KnobReadings& knobs = situation.features.knobs;
  changed_ = another_value(knobs_, knobs);
  if (!knobs.empty()) knobs_ = knobs;  // nothing was read in this sample
  const bool uneasy = situation.trouble || situation.reads_slow || situation.memory_low;
  peaceful_ = ease_.update(!uneasy, situation.now) >= kPeaceSeconds;
  quiet_ = stillness_.update(!changed_, situation.now) >= kPeaceSeconds;
}

void Peace::leave_one_try(std::vector<Proposal>& proposals) {
  const auto tries =
      static_cast<std::size_t>(std::count_if(proposals.begin(), proposals.end(), is_try));
  if (!peaceful_ || tries < 2) return;
  std::size_t skip = turn_++ % tries;
  std::erase_if(proposals, [&skip](const Proposal& one) { return is_try(one) && skip-- != 0; });
}

}  // namespace rocktune
