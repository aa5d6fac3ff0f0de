#include "policy/urgent.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "policy/give_back.h"
#include "policy/in_common.h"
#include "policy/over_budget.h"
#include "policy/pins.h"
#include "policy/rollback.h"

namespace rocktune {
namespace {

constexpr std::array<std::string_view, 6> kStallFeatures{"stalled_ratio", "write_stopped",
                                                         "l0_ratio",      "memtable_ratio",
                                                         "pending_bytes", "total_pending_bytes"};
constexpr std::string_view kHostFeature = "memory_pressure_ratio";

}  // namespace

std::string loop_of(const Proposal& proposal) {
  return proposal.rule.substr(0, proposal.rule.find('.'));
}

bool is_return(const Proposal& proposal) {
  return proposal.rule == kRollbackRule || proposal.rule == kPinRule ||
         proposal.rule == kInCommonRule || proposal.rule == kBudgetRule;
}

bool may_go_back(const Proposal& proposal) {
  const KnobSpec* spec = find_knob(proposal.knob);
  const bool protects = spec != nullptr && protects_host(proposal, *spec);
  return !is_return(proposal) && !is_for_others(proposal) && !protects;
}

bool relieves_stall(const Proposal& proposal) {
  if (proposal.knob == knob::kRateLimit) return proposal.to > proposal.from;
  // More files in level 0, and fewer workers, less memory or smaller writes, relieve nothing,
  // whatever is expected.
  if (proposal.knob == knob::kL0Trigger && proposal.to > proposal.from) return false;
  // The size of levels changes what is written over minutes.
  if (proposal.knob == knob::kLevelBase) return false;
  // A slower delay, or one that begins sooner, is one more thing that writers wait for.
  const bool gives =
      proposal.knob == knob::kDelayedWriteRate || proposal.knob == knob::kL0Slowdown ||
      proposal.knob == knob::kSoftPending || proposal.knob == knob::kBackgroundJobs ||
      proposal.knob == knob::kSubcompactions || proposal.knob == knob::kWriteBufferSize ||
      proposal.knob == knob::kWriteBuffers || proposal.knob == knob::kCacheCapacity ||
      proposal.knob == knob::kWriteSize;
  if (gives && proposal.to < proposal.from) return false;
  return std::ranges::find(kStallFeatures, proposal.expected.feature) != kStallFeatures.end();
}

bool protects_host(const Proposal& proposal, const KnobSpec& spec) {
  return spec.lower_is_protective && proposal.to < proposal.from &&
         proposal.expected.feature == kHostFeature;
}

}  // namespace rocktune
