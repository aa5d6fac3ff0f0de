// Sharing: what each database may take of what several share, all of one daemon's databases
// together. At each poll: members in, a SharedBudget for each out, which goes into its next sample.
//
// - Jobs and memory of the host: among all databases, as soon as there are two.
// - Background writing: among the databases on one device, while one suffers from another
//   (policy/device_budget.h).
// - Evenness of background writing: while reads of one wait for what others on its device write at
//   once (policy/device_smoothing.h).
// - The size of single background writes, of those who do not read themselves: as small as the one
//   beside them made its own, whose reads were seen to wait behind them.
//
// docs/control.md has the rules. Pure; deterministic; bounded by the number of members; not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/decision.h"
#include "model/engine_config.h"
#include "model/objective.h"
#include "policy/device_budget.h"
#include "policy/device_smoothing.h"
#include "policy/growing_rest.h"
#include "policy/memory.h"
#include "policy/shares.h"

namespace rocktune {

// What all members may take together.
struct HostBudget {
  std::optional<Bytes> memory_max;  // cache and write buffers; unset: each its own budget
  // Sum of max_background_jobs; unset: what their own budgets say, none less than it was found with
  // and holds, and for all others together the CPUs and two for each but one.
  std::optional<std::int64_t> jobs_max;
  bool operator==(const HostBudget&) const = default;
};

struct ShareMember {
  std::string name;    // unique
  std::string device;  // the same for all on one device; empty: not known
  double weight = 1;
  bool tunes = true;       // its policy gives back what others need; "static" never does
  bool gives_rate = true;  // ...and its rate limit: a peer's keeps to no slice
  bool acts = true;        // what it decides is done: it is not only advised
  Pins pins;               // what is pinned stays where it is, whatever others need
  Budget budget;           // its own
  std::optional<double> device_at_most;  // bytes/s of the device that it may write, if known
  std::optional<double> cpus;            // that its process may use
  KnobReadings knobs;                    // as last read, or where they may be by now
  // Of what it has in common with others of its process: the same name for the same limiter or
  // cache, by knob and column family.
  using InCommon = std::map<KnobId, std::string>;
  InCommon in_common;
  MemoryUse memory;  // of all its column families
  Demand demand;
};

class Sharing {
 public:
  using Slices = std::map<std::string, SharedBudget>;  // by member; only of those who share

  // `host_cpus` absent: then jobs are divided only where the budget says how many there are.
  Slices update(Nanoseconds now, const HostBudget& host, std::optional<double> host_cpus,
                const std::vector<ShareMember>& members);

 private:
  struct Device {
    DeviceBudget budget;
    DeviceSmoothing smoothing;
    Shares shares{15, true};
  };
  // A wish for memory that was granted and not used: it does not count for a rest, or until it
  // takes more than it has.
  struct Granted {
    double held = 0;
    std::optional<Nanoseconds> unused_since;
    GrowingRest rest;
    bool rests = false;
  };
  void divide_jobs(Nanoseconds now, const HostBudget& host, std::optional<double> host_cpus,
                   const std::vector<ShareMember>& members, Slices& out);
  void divide_memory(Nanoseconds now, const HostBudget& host,
                     const std::vector<ShareMember>& members, Slices& out);
  void divide_devices(Nanoseconds now, const std::vector<ShareMember>& members, Slices& out);
  void divide_device(Nanoseconds now, Device& device,
                     const std::vector<const ShareMember*>& members, Slices& out);
  static void bound_writes(const std::vector<const ShareMember*>& members, Slices& out);
  // Whether its wish for more memory counts: it begins to rest where the slice was long not used.
  bool judge_grant(Nanoseconds now, const ShareMember& member, double held);

  // Dwells: of the knobs that follow (model/knobs.cc), or longer where needs change slowly.
  Shares jobs_{10}, memory_{60};
  std::map<std::string, Device> devices_;
  std::map<std::string, Granted> granted_;
};

// What holds for an engine: its own budget, within its slices.
Budget within_share(Budget own, const std::optional<SharedBudget>& shared);

}  // namespace rocktune
