// Write buffers that grew into the memory of a probe before its verdict (policy/buffers_loop.h),
// and their way back where that is that the memory is worth more as cache, or where there is none.
// Pure; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policy/cache_worth.h"
#include "policy/idle_buffers.h"
#include "policy/level0_merges.h"
#include "policy/situation.h"

namespace rocktune {

class EarlyGrowth {
 public:
  // Asked for, again and again until somebody grants it.
  void wished(const Proposal& growth, std::int64_t cache_before_probe);
  // Once per sample: nothing before the verdict, nor where it is for the buffers. What they save
  // has to be `margin` times what the memory is worth as cache.
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges,
                                 const CacheWorth& worth, double margin);
  // The size that the cache is to have back, once, when the buffers have gone back.
  std::optional<std::int64_t> cache_due();

 private:
  struct Growth {
    std::string column_family;
    std::int64_t from = 0, cache = 0;
  };
  std::nullopt_t end();

  std::optional<Growth> growth_;
  std::optional<Nanoseconds> returning_since_;
  std::optional<std::int64_t> cache_due_;
};

}  // namespace rocktune
