// What memory is worth as block cache: the bytes/s that reads would take more of the device with
// less of it, where misses are a power of the cache's size:
//
//   misses of another size = misses/s * (cache / size) ^ elasticity
//   lost = what they are more with less cache * what a miss takes of the device
//
// Misses and elasticity are of those that reads wait for (policy/memory.h); a cache that was not
// read lately (policy/situation.h) is worth nothing. The elasticity depends on how the load's
// favourites lie in blocks. It is learnt with every change of the cache, from the misses that a
// read has before and after it. These move by themselves, too, with every compaction: what was
// measured counts by how far it stands out of that, beside what is usual. Pure; bounded; internal
// to policy/.
#pragma once

#include <optional>

#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {

class CacheWorth {
 public:
  void observe(const Situation& situation);  // once per sample
  // Bytes/s of the device, for a cache of `to` bytes instead of `from`, of which neither has to be
  // what it has now. Absent: nobody can tell, as while it fills.
  [[nodiscard]] std::optional<double> lost(const Situation& situation, double from,
                                           double to) const;
  // Whether that was measured within half an hour, or nobody reads. Else it is what was measured
  // longer ago, or what is usual.
  [[nodiscard]] bool known(const Situation& situation) const;
  // Whether a smaller cache would tell by how much misses grow: they do not move by themselves.
  [[nodiscard]] bool steady() const;
  // The cache was made smaller a moment ago, and what that does to reads is not known yet.
  [[nodiscard]] bool judges_less(const Situation& situation) const;

 private:
  // The cache before its last change, until the misses of after it are known.
  struct Change {
    Nanoseconds tick{0};
    double bytes_before = 0, misses_before = 0;
    Value deviation;
  };
  struct Elasticity {
    double value = 0, misses_per_read = 0;  // ...where it was learnt
    Nanoseconds tick{0};
  };
  void follow_cache(const Situation& situation);
  void learn(const Situation& situation, double bytes_now, double misses_now);
  [[nodiscard]] bool has_readings() const;

  Trend misses_per_read_{Trend::Jumps::kKeep, 0, 15};
  std::optional<std::int64_t> cache_;
  std::optional<Change> change_;
  std::optional<Elasticity> elasticity_;
  Held not_full_;                     // and does not fill
  std::optional<double> fills_from_;  // bytes in it, when it was last seen to fill
  double not_full_seconds_ = 0;       // that the cache has not been full; 0: it is
};

}  // namespace rocktune
