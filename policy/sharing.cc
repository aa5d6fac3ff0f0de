#include "policy/sharing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/knobs.h"
#include "policy/drift.h"
#include "policy/give_back.h"
#include "policy/guard_limits.h"
#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {
namespace {

constexpr auto kJobsFloor = static_cast<double>(kLeastJobs);
constexpr double kShareMiB = 1 << 20;
// A budget is divided in pieces of about this share of it, so that slices come in steps.
constexpr double kPieces = 64;
// A database that misses in a full cache asks for this many times its memory, step by step.
constexpr double kMemoryWish = 1.5;
constexpr double kUsedMargin = 1.1;
constexpr double kUnusedSeconds = 300;  // as long as a growth of the cache is judged at most
constexpr double kUnusedGrant = 1.1;    // a slice this much above what is held is not used
constexpr double kAtSlice = 0.05;       // this near to its slice the rate limit stands at it
constexpr double kUsesSlice = 0.7;      // as a limiter binds (policy/situation.cc)

const KnobReading* database_knob(const ShareMember& member, std::string_view name) {
  return member.knobs.find(name, "");
}

bool yields(const ShareMember& member, const KnobReading* knob) {
  return member.tunes && knob != nullptr && may_turn(*knob) && !member.pins.contains(knob->name);
}

bool yields_rate(const ShareMember& member, const KnobReading* limiter) {
  return member.gives_rate && yields(member, limiter);
}

// Who only advises will take no more than it holds: what it would need is kept from nobody. What is
// left over counts for its advice.
void bound_need(const ShareMember& member, Claim& claim) {
  if (!member.acts) claim.need = std::min(claim.need.value_or(claim.held), claim.held);
}

double value_of(const KnobReading* knob) {
  return knob == nullptr ? 0 : std::max(0.0, static_cast<double>(knob->value));
}

// What it stands at and its budget lets it not give back: the guard holds drift for others' sake,
// too.
double kept_by_drift(const ShareMember& member, const KnobReading* knob) {
  if (knob == nullptr) return 0;
  const auto least = static_cast<double>(least_by_drift(*knob, member.budget).value_or(0));
  return std::min(least, value_of(knob));
}

using Members = std::vector<const ShareMember*>;

// How many of the members have the limiter or cache that this knob of one of them is of.
double owners_of(const ShareMember& member, const KnobReading& knob, const Members& members) {
  const auto common = member.in_common.find({knob.name, knob.column_family});
  if (common == member.in_common.end()) return 1;
  return static_cast<double>(
      std::count_if(members.begin(), members.end(), [&](const ShareMember* other) {
        return std::any_of(other->in_common.begin(), other->in_common.end(),
                           [&](const auto& one) { return one.second == common->second; });
      }));
}

// Its part of the memory that it uses: a cache of several members counts once for all of them.
MemoryUse part_of_memory(const ShareMember& member, const Members& members) {
  MemoryUse part = member.memory;
  for (const KnobReading& knob : member.knobs) {
    if (knob.name != knob::kCacheCapacity) continue;
    const double others = 1 - 1 / owners_of(member, knob, members);
    part.cache -= others * static_cast<double>(knob.value);
    part.found_cache -= others * static_cast<double>(knob.found);
  }
  return part;
}

double piece(double budget, std::size_t members, double least) {
  const double pieces = std::max(kPieces, 8.0 * static_cast<double>(members));
  return std::max(least, std::floor(budget / pieces / least) * least);
}

std::uint64_t counted(double value) {
  constexpr double kLargest = 9e18;
  return static_cast<std::uint64_t>(std::clamp(value, 0.0, kLargest));
}

// Its own budget bounds what is taken: what was found, and still stands, is not taken back for it.
double own_jobs(const ShareMember& member, const KnobReading* knob) {
  const auto most = static_cast<double>(*member.budget.jobs_max);
  const auto found = knob == nullptr ? 0 : static_cast<double>(knob->found);
  return std::max(most, std::min(found, value_of(knob)));
}

// `by_cpus`: nobody said how many jobs there are, so that none has more than its CPUs.
Claim jobs_claim(const ShareMember& member, double budget, bool by_cpus) {
  const KnobReading* knob = database_knob(member, knob::kBackgroundJobs);
  Claim claim;
  claim.member = member.name;
  claim.weight = member.weight;
  claim.floor = std::max(kJobsFloor, kept_by_drift(member, knob));
  claim.held = value_of(knob);
  claim.movable = yields(member, knob);
  const double found = knob == nullptr ? 0 : static_cast<double>(knob->found);
  claim.usual = found;
  const double most = by_cpus ? std::max({member.cpus.value_or(0), found, kJobsFloor}) : budget;
  claim.cap = member.budget.jobs_max ? own_jobs(member, knob) : most;
  claim.need = member.demand.wants_jobs ? claim.cap : member.demand.jobs_used;
  bound_need(member, claim);
  return claim;
}

// Where the host's budget says nothing: what each database's own says, and for those without one as
// many as one of them alone might have, and two for each of the others.
double jobs_of_host(double cpus, const std::vector<ShareMember>& members) {
  double own = 0, found = 0, others = -1;
  for (const ShareMember& member : members) {
    const KnobReading* knob = database_knob(member, knob::kBackgroundJobs);
    if (member.budget.jobs_max) {
      own += own_jobs(member, knob);
      continue;
    }
    if (knob != nullptr) found += static_cast<double>(knob->found);
    ++others;
  }
  return own + (others < 0 ? 0 : std::max(found, cpus + kJobsFloor * others));
}

Claim memory_claim(const ShareMember& member, const MemoryUse& use, bool wish) {
  Claim claim;
  claim.member = member.name;
  claim.weight = member.weight;
  claim.held = use.total();
  claim.usual = use.found_cache + use.found_buffers;
  const KnobReading* cache = database_knob(member, knob::kCacheCapacity);
  const double least = std::max(kLeastCacheShare * use.found_cache, kept_by_drift(member, cache));
  claim.floor = std::min(use.total(), use.write_buffers + least);
  claim.movable = yields(member, cache);
  if (member.budget.memory_max) claim.cap = static_cast<double>(member.budget.memory_max->value);
  if (wish) {
    claim.need = kMemoryWish * use.total();
  } else if (member.demand.cache_used) {
    claim.need = std::min(use.total(), use.write_buffers + kUsedMargin * *member.demand.cache_used);
  }
  bound_need(member, claim);
  return claim;
}

// What it takes of the device: its limit, or what it writes where nothing limits it. Nor may a
// limit that is nobody's to give take from the others what is not written - in the mean, since of
// flushes, which are counted as they end, single samples say nothing.
double rate_held(const ShareMember& member, const KnobReading* limiter, const Members& members) {
  const bool gives = yields_rate(member, limiter);
  const Value& writes = gives ? member.demand.background_peak : member.demand.background_mean;
  if (limiter == nullptr || limiter->value >= kUnlimitedBytesPerSecond) return writes.value_or(0);
  const double limit = value_of(limiter) / owners_of(member, *limiter, members);
  return gives ? limit : std::min(limit, writes.value_or(limit));
}

// Writers wait behind its slice: a limit that stands there, or still above it - it is not lowered
// in trouble - and of which use is made: in a pause of compactions it held them up all the same.
// The slice of who only watches holds up nobody.
bool slice_holds_up(const ShareMember& member, const std::map<std::string, double>& slices) {
  const auto slice = slices.find(member.name);
  const KnobReading* limiter = database_knob(member, knob::kRateLimit);
  if (slice == slices.end() || !member.acts || !yields_rate(member, limiter)) return false;
  const double limit = value_of(limiter), part = slice->second;
  if (limiter->value >= kUnlimitedBytesPerSecond || limit < (1 - kAtSlice) * part) return false;
  const bool at_slice = limit * (1 - kRateShareBand) <= part;
  const Value& writes = at_slice ? member.demand.background_most : member.demand.background;
  return writes.value_or(0) >= kUsesSlice * part;
}

Claim device_claim(const ShareMember& member, const Members& members, double budget, double unit) {
  const KnobReading* limiter = database_knob(member, knob::kRateLimit);
  Claim claim;
  claim.member = member.name;
  claim.weight = member.weight;
  claim.floor = std::max(member.budget.rate_limit_min.value, kept_by_drift(member, limiter));
  claim.movable = yields_rate(member, limiter);
  claim.held = rate_held(member, limiter, members);
  // In steps, so that a passing rate makes no new plan at every poll.
  if (!claim.movable) claim.held = std::ceil(claim.held / unit) * unit;
  if (member.demand.wants_rate) {
    claim.need = budget;
  } else if (member.demand.need) {
    claim.need = kSharedNeedMargin * *member.demand.need;
  }
  bound_need(member, claim);
  return claim;
}

// One that several have in common is no member's to turn for its own writes.
bool has_own_limiter(const ShareMember& member, const Members& members) {
  const KnobReading* limiter = database_knob(member, knob::kRateLimit);
  return limiter != nullptr && owners_of(member, *limiter, members) == 1;
}

// The size of single writes that this database's reads were found to bear: what its engine has made
// of its own. One that reads nothing does not ask; it does what others ask for.
std::optional<std::int64_t> write_size_asked(const ShareMember& member) {
  const KnobReading* knob = database_knob(member, knob::kWriteSize);
  if (knob == nullptr || !is_lowered(*knob) || !member.demand.reads) return std::nullopt;
  return knob->value;
}

}  // namespace

// Nobody else's writes are larger than the reads on their device bear.
void Sharing::bound_writes(const std::vector<const ShareMember*>& members, Slices& out) {
  for (const ShareMember* asks : members) {
    const auto size = write_size_asked(*asks);
    if (!size) continue;
    for (const ShareMember* other : members) {
      Counter& most = out[other->name].write_size_max_bytes;
      const auto asked = static_cast<std::uint64_t>(*size);
      if (other != asks) most = std::min(most.value_or(asked), asked);
    }
  }
}

void Sharing::divide_jobs(Nanoseconds now, const HostBudget& host, std::optional<double> host_cpus,
                          const std::vector<ShareMember>& members, Slices& out) {
  if (!host.jobs_max && !host_cpus) return;
  double budget =
      host.jobs_max ? static_cast<double>(*host.jobs_max) : jobs_of_host(*host_cpus, members);
  std::vector<Claim> claims;
  double least = 0;
  for (const ShareMember& member : members) {
    claims.push_back(jobs_claim(member, budget, !host.jobs_max));
    least += claims.back().movable ? claims.back().floor : claims.back().held;
  }
  budget = std::max(budget, least);  // two for each come first, and what cannot be given back
  for (const auto& [name, slice] : jobs_.update(now, budget, 1, std::move(claims))) {
    out[name].jobs_max = counted(slice);
  }
}

bool Sharing::judge_grant(Nanoseconds now, const ShareMember& member, double held) {
  Granted& granted = granted_[member.name];
  if (held > granted.held || (granted.rests && !granted.rest.lasts(now))) {
    granted.unused_since.reset();
    granted.rests = false;
  }
  granted.held = held;
  if (granted.rests) return false;
  const auto slice = memory_.slices().find(member.name);
  const bool unused = slice != memory_.slices().end() && slice->second > kUnusedGrant * held;
  if (!unused) granted.unused_since.reset();
  if (unused && !granted.unused_since) granted.unused_since = now;
  granted.rests =
      granted.unused_since && seconds_between(*granted.unused_since, now) >= kUnusedSeconds;
  if (granted.rests) granted.rest.begin(now);
  return !granted.rests;
}

void Sharing::divide_memory(Nanoseconds now, const HostBudget& host,
                            const std::vector<ShareMember>& members, Slices& out) {
  if (!host.memory_max) return;
  std::erase_if(granted_, [&](const auto& entry) {
    return std::none_of(members.begin(), members.end(),
                        [&](const ShareMember& member) { return member.name == entry.first; });
  });
  Members all;
  all.reserve(members.size());
  for (const ShareMember& member : members) all.push_back(&member);
  std::vector<Claim> claims;
  std::map<std::string, double> of_others;  // what it sees of its caches, and others pay for
  for (const ShareMember& member : members) {
    const MemoryUse use = part_of_memory(member, all);
    of_others[member.name] = member.memory.total() - use.total();
    const bool counts = judge_grant(now, member, use.total());
    claims.push_back(memory_claim(member, use, member.demand.wants_cache && counts));
  }
  const auto budget = static_cast<double>(host.memory_max->value);
  const double unit = piece(budget, members.size(), std::min(kShareMiB, budget));
  for (const auto& [name, slice] : memory_.update(now, budget, unit, std::move(claims))) {
    out[name].memory_max_bytes = counted(slice + of_others[name]);
  }
}

void Sharing::divide_device(Nanoseconds now, Device& device,
                            const std::vector<const ShareMember*>& members, Slices& out) {
  std::vector<DeviceMember> seen;
  for (const ShareMember* member : members) {
    seen.push_back({member->demand, member->budget.rate_limit_min.value,
                    slice_holds_up(*member, device.shares.slices()), member->device_at_most});
    out[member->name].device_members = members.size();
  }
  const std::optional<double> budget = device.budget.update(now, seen);
  const auto smooth_from = device.smoothing.update(now, seen, budget.has_value());
  for (const ShareMember* member : members) {
    if (smooth_from && has_own_limiter(*member, members))
      out[member->name].smooth_from_bytes_per_second = counted(*smooth_from);
  }
  if (!budget) {
    device.shares = Shares(15, true);
    return;
  }
  const double unit = piece(*budget, members.size(), 1);
  std::vector<Claim> claims;
  claims.reserve(members.size());
  double least = 0;
  for (const ShareMember* member : members) {
    claims.push_back(device_claim(*member, members, *budget, unit));
    least += claims.back().movable ? claims.back().floor : claims.back().held;
  }
  // What each needs least comes first, whatever those write who give nothing back.
  const double divided = std::max(*budget, std::ceil(least / unit) * unit);
  for (const auto& [name, slice] : device.shares.update(now, divided, unit, std::move(claims))) {
    out[name].background_max_bytes_per_second = counted(slice);
  }
}

void Sharing::divide_devices(Nanoseconds now, const std::vector<ShareMember>& members,
                             Slices& out) {
  std::map<std::string, std::vector<const ShareMember*>> groups;
  for (const ShareMember& member : members) {
    if (!member.device.empty()) groups[member.device].push_back(&member);
  }
  std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
  std::erase_if(devices_, [&](const auto& known) { return !groups.contains(known.first); });
  for (const auto& [device, group] : groups) {
    divide_device(now, devices_[device], group, out);
    bound_writes(group, out);
  }
}

Sharing::Slices Sharing::update(Nanoseconds now, const HostBudget& host,
                                std::optional<double> host_cpus,
                                const std::vector<ShareMember>& members) {
  Slices out;
  const bool together = members.size() > 1;
  // Alone, a database has what its own budget says, unless the host's says less.
  if (members.empty() || (!together && !host.jobs_max && !host.memory_max)) {
    *this = Sharing();
    return out;
  }
  for (const ShareMember& member : members) out[member.name].host_members = members.size();
  if (together || host.jobs_max) divide_jobs(now, host, host_cpus, members, out);
  divide_memory(now, host, members, out);
  divide_devices(now, members, out);
  return out;
}

Budget within_share(Budget own, const std::optional<SharedBudget>& shared) {
  if (!shared) return own;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const auto slice = [](std::uint64_t value) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(value, kMost));
  };
  if (shared->jobs_max) {
    const std::int64_t jobs = slice(*shared->jobs_max);
    own.jobs_max = std::min(own.jobs_max.value_or(jobs), jobs);
  }
  if (shared->memory_max_bytes) {
    const std::int64_t bytes = slice(*shared->memory_max_bytes);
    own.memory_max = Bytes{std::min(own.memory_max ? own.memory_max->value : bytes, bytes)};
  }
  return own;
}

}  // namespace rocktune
