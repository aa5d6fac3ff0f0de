// What a target tells of itself to those that it shares a device or the host with.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "daemon/agents/translate.h"
#include "daemon/target.h"
#include "model/knobs.h"

namespace rocktune::daemon {
namespace {

// An agent whose socket was removed makes it anew within two seconds. One that has not come back in
// this time is out of rocktuned's sight for good, and others do not wait for its process to end.
constexpr double kLostClaimSeconds = 600;

// Somewhere between where rocktune had put it and where the end of its lease puts it.
void hold_either(KnobReading& knob) {
  if (knob.owner == KnobOwner::kRocktune) knob.value = std::max(knob.value, knob.found);
}

// What is divided goes by the knobs of the whole database and by the caches; column families' own
// may be thousands.
bool is_divided(const KnobReading& knob) {
  return knob.column_family.empty() || knob.name == knob::kCacheCapacity;
}

// Of one that nobody sees what it wrote in the mean is all that is known: it suffers from nobody,
// and wants nothing.
Demand unseen(const Demand& last) {
  Demand out;
  out.background = out.background_peak = out.background_most = last.background_mean;
  out.background_mean = last.background_mean;
  return out;
}

}  // namespace

std::string Target::device_name() const {
  if (!machine_ && lost_) return lost_->device_name;
  return machine_ ? machine_->device_name() : std::string();
}

uid_t Target::share_user() const {
  if (opening_) return opening_->user;
  return lost_ ? lost_->user : 0;
}

// The lease that held its knobs may be over, and nobody has read what they are now.
bool Target::may_have_expired() const {
  if (!lease_ || lease_->on_expiry == "keep") return false;
  return seconds_between(read_at_, journal_.now().tick) > lease_->remaining_seconds.value_or(0);
}

KnobReadings Target::knobs_held() const {
  const bool expired = may_have_expired();
  const bool as_read = under_way_.empty() && !expired;
  if (as_read && last_sample_.knobs == read_knobs_) return read_knobs_;
  KnobReadings::List held(last_sample_.knobs.begin(), last_sample_.knobs.end());
  for (KnobReading& knob : held) {
    if (const auto most = under_way_.largest(knob)) knob.value = std::max(knob.value, *most);
    if (expired) hold_either(knob);
  }
  return held;
}

// What column families take whose knobs nobody has read stays as it was read.
MemoryUse Target::memory_of(const KnobReadings& held) const {
  if (held == read_knobs_) return memory_;
  MemoryUse use = memory_use(held);
  use.write_buffers += unlisted_buffers_;
  use.found_buffers += unlisted_buffers_;
  use.limit_buffers(buffer_limit_);
  return use;
}

// Read-only and secondary openings write nothing in the background, and are not tuned.
std::optional<ShareMember> Target::share_member() const {
  if (keeps_claim()) return lost_->member;
  if (!live() || last_sample_.knobs.empty()) return std::nullopt;
  if (!is_writable(opening_->database)) return std::nullopt;
  ShareMember member;
  member.name = path_;
  member.device = machine_->device_key();
  member.weight = rule_.weight;
  member.tunes = tunes(rule_.engine);
  member.gives_rate = gives_rate(rule_.engine);
  member.acts = acts();
  member.pins = rule_.engine.pins;
  member.budget = rule_.engine.budget;
  const auto& write = rule_.engine.objective.device_capacities.write;
  if (write) member.device_at_most = rule_.engine.budget.device_share * write->bytes_per_second;
  member.cpus = cpus_;
  member.knobs = knobs_held();
  member.in_common = in_common_;
  member.memory = memory_of(member.knobs);
  member.demand = demand_;
  return member;
}

void Target::lost(const std::string& reason) {
  std::optional<LostClaim> claim = lost_ ? std::move(lost_) : claim_to_keep();
  closed(reason);
  lost_ = std::move(claim);
}

// It gives nothing back, and takes no more.
std::optional<Target::LostClaim> Target::claim_to_keep() const {
  std::optional<ShareMember> member = share_member();
  if (!member) return std::nullopt;
  KnobReadings::List held(member->knobs.begin(), member->knobs.end());
  for (KnobReading& knob : held) hold_either(knob);
  member->memory = memory_of(held);
  std::erase_if(held, [](const KnobReading& knob) { return !is_divided(knob); });
  member->knobs = std::move(held);
  member->tunes = member->gives_rate = member->acts = false;
  member->demand = unseen(member->demand);
  return LostClaim{*std::move(member), opening_->incarnation(), device_name(),
                   opening_->user,     opening_->pid,           journal_.now().tick};
}

bool Target::keeps_claim() const {
  if (!lost_ || seconds_between(lost_->since, journal_.now().tick) > kLostClaimSeconds)
    return false;
  std::error_code error;
  const std::string process = roots_.proc + "/" + std::to_string(lost_->pid);
  return lost_->pid == 0 || std::filesystem::exists(process, error);
}

}  // namespace rocktune::daemon
