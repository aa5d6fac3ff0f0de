// Write buffers on their way back to what was found: where the machine's memory is short; where the
// cache can use the memory and would save more with it (policy/cache_worth.h) than merging level 0
// costs with buffers of half the size (policy/level0_merges.h); where nothing has been flushed for
// minutes and several databases divide the memory; or where readers are to have it back. And what
// these are to have: the cache that was lent while nobody read. Pure; bounded by the number of
// column families; internal to policy/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/cache_worth.h"
#include "policy/level0_merges.h"
#include "policy/situation.h"

namespace rocktune {

// Why a cache is to have back what an earlier engine has lent.
inline constexpr std::string_view kLentBefore =
    "the cache stands below what was found since before rocktuned, or its configuration, began "
    "anew, "
    "and somebody reads";

// Of the column family that stands for all which share it; nullptr: not read.
const KnobReading* cache_of(const Situation& situation);

class IdleBuffers {
 public:
  // What going back would do.
  struct Less {
    std::int64_t to = 0;
    double costs = 0, saves = 0;  // bytes/s of the device: in compaction, and of reads
    bool unused = false;          // nothing is flushed
    bool known = true;            // what it costs
  };
  [[nodiscard]] static std::optional<Less> less(const Situation& situation,
                                                const Level0Merges& merges, const CacheWorth& worth,
                                                const KnobReading& size, std::int64_t to);

  // By whom: by the cache or other databases, once it is worth more there; or at once by readers,
  // of whose cache it was lent, or stands below what was found since before this began.
  enum class Wanted { kWhereWorthMore, kByReaders, kByReadersAsFound };
  // Once per sample.
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges,
                                 const CacheWorth& worth, Wanted wanted);
  // Whether any stand above what was found, as of the last sample.
  [[nodiscard]] bool has_grown() const { return !grown_.empty(); }

 private:
  struct Due {
    const KnobReading* size = nullptr;
    Less half;
  };
  void follow_knobs(const KnobReadings& knobs);
  [[nodiscard]] std::optional<Proposal> propose_one(const Situation& situation,
                                                    const std::vector<Due>& due, Wanted wanted);
  [[nodiscard]] static std::string why(const Less& half, Wanted wanted);
  // How long the larger buffers of a column family would have been worth more as cache.
  struct Unwanted {
    std::string column_family;
    Held held;
  };
  std::vector<Unwanted> unwanted_;
  KnobReadings knobs_;              // as last seen
  std::vector<std::size_t> grown_;  // indices into them
  std::size_t turn_ = 0;
};

// The cache before the buffers took of it while nobody read: for whoever reads again, where reads
// come first.
class LentCache {
 public:
  // What stands below what was found when this begins was taken by an earlier engine, for buffers
  // or for want of memory: readers want it back.
  void inherit(const Situation& situation);
  void lend(std::int64_t cache_before, Nanoseconds now) {
    if (before_) return;
    before_ = cache_before;
    lent_at_ = now;
    is_inherited_ = false;
  }
  void forget() { before_.reset(); }  // nobody is to have it back any more
  [[nodiscard]] bool is_lent() const { return before_.has_value(); }
  // Nobody knows any more for what it was made smaller.
  [[nodiscard]] bool is_inherited() const { return is_lent() && is_inherited_; }
  // Once per sample: whether readers want it back now, and writers do not need it.
  bool is_wanted(const Situation& situation);
  // What is to be done for them, where they do.
  struct Due {
    std::optional<std::int64_t> cache;  // its new size, of what is free
    bool can_take = false;              // the cache could have more
  };
  Due due(const Situation& situation);

 private:
  std::optional<std::int64_t> before_;
  std::optional<Nanoseconds> lent_at_;  // who reads has read since; absent: by an earlier engine
  Held reads_again_;
  Held waits_;  // for the cache, while it stood at waits_at_
  std::int64_t waits_at_ = 0;
  std::optional<Nanoseconds> stalled_at_;
  bool looked_ = false;        // for what an earlier engine has lent
  bool is_inherited_ = false;  // before_ is of that one
};

}  // namespace rocktune
