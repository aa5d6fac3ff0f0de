// The write buffers' loop: larger ones where writes cost the device more in compaction than the
// same memory saves it as cache; back where it would save more there (policy/idle_buffers.h). Pure;
// bounded by the number of column families; internal to policy/.
//
// What doubling the buffers of a column family saves: policy/level0_merges.h. What the cache loses
// by it: policy/cache_worth.h; a probe tells, a quarter of the cache for ten seconds (twenty where
// readings are rare). While nobody reads, also where small ones fill level 0 by their number
// (policy/buffers_level0.cc).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "policy/cache_worth.h"
#include "policy/idle_buffers.h"
#include "policy/level0_merges.h"
#include "policy/situation.h"
#include "policy/wishes.h"

namespace rocktune {

class BuffersLoop {
 public:
  // For the write buffers, or for the cache where it is to make room.
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);
  // The cache is not to grow: the memory is meant for the write buffers, or was a moment ago, or a
  // probe is under way.
  [[nodiscard]] bool claims_memory() const { return claims_; }

 private:
  static constexpr double kLargestTrade = 0.25;  // of the cache, in one step
  struct Family {
    const ColumnFamilyReading* reading = nullptr;
    const KnobReading* size = nullptr;
    const KnobReading* number = nullptr;
    Level0Merging writes;
  };
  struct Doubling {
    // bytes: by which the buffers are to grow, at least or not at all, and that nobody uses
    double wanted = 0, least = 0, free = 0;
    double unused = 0;            // ...of the budget
    double saves = 0, costs = 0;  // bytes/s of the device: as buffers, and as cache
  };
  std::optional<Proposal> look_and_decide(const Situation& situation, const Level0Merges& merges);
  // Whose larger buffers save most.
  struct Choice {
    std::optional<Family> family;
    bool in_vain = false;  // absent: those that there are would have nothing of it
  };
  [[nodiscard]] Choice worthiest(const Situation& situation, const Level0Merges& merges) const;
  [[nodiscard]] int rank(const Level0Merging& writes, double saves, const std::string& name,
                         Nanoseconds now) const;
  [[nodiscard]] bool has_made_room(const Situation& situation) const;
  [[nodiscard]] bool merges_cost_reads() const;
  [[nodiscard]] double free_bytes(const Situation& situation, double unused, double more) const;
  [[nodiscard]] bool cache_can_give(const Situation& situation, const Doubling& doubling) const;
  [[nodiscard]] std::optional<Doubling> doubling(const Situation& situation,
                                                 const Level0Merges& merges,
                                                 const Family& family) const;
  // Of the column family whose level 0 is nearest to where writes are delayed.
  [[nodiscard]] std::optional<Family> crowded(const Situation& situation,
                                              const Level0Merges& merges) const;
  std::optional<Proposal> grow_for_level0(const Situation& situation, const Family& family);
  [[nodiscard]] Doubling room_for_doubling(const Situation& situation, const Family& family) const;
  [[nodiscard]] static std::int64_t larger(const Family& family, const Doubling& doubling);
  void note_taken(const Situation& situation, const Proposal& less);
  [[nodiscard]] Proposal grown(const Situation& situation, const Family& family,
                               const Doubling& doubling) const;
  std::optional<Proposal> grow(const Situation& situation, const Level0Merges& merges,
                               const Family& family);
  [[nodiscard]] std::optional<Proposal> grow_meanwhile(const Situation& situation,
                                                       const Level0Merges& merges,
                                                       const Family& family) const;
  std::optional<Proposal> make_room(const Situation& situation, const Doubling& doubling);
  std::optional<Proposal> take_from_cache(const Situation& situation, double bytes,
                                          std::string_view rule, std::string reason);
  std::optional<Proposal> end_trade(const Situation& situation);
  std::optional<Proposal> end_moot_trade(const Situation& situation, bool presses, bool in_vain);
  std::optional<Proposal> offer_return(const Situation& situation);
  [[nodiscard]] Proposal returned(const KnobReading& cache, std::int64_t to) const;
  std::optional<Proposal> reclaim(const Situation& situation, const Level0Merges& merges);
  void forget_moot_trades(const Situation& situation);
  void follow_buffers(const Situation& situation);

  CacheWorth worth_;
  IdleBuffers idle_;
  Trend hit_ratio_{Trend::Jumps::kKeep, 0, 15};
  Held pressed_, crowds_;
  Trend slow_beside_merges_{Trend::Jumps::kKeep, 0, 30};  // a share of the time
  // What was wished to be taken of the cache, until the buffers have it.
  struct Taken {
    std::int64_t from = 0;
    double held = 0;  // bytes in it
    Nanoseconds wished{0};
    bool for_level0 = false;
  };
  std::optional<Taken> taken_;
  bool called_back_ = true;  // what it lent for level 0, once for each loan
  GrowingRest level0_rest_;  // since the cache had back what it gave, or might give, for level 0
  // What a probe took, to go back to the cache: offered until it is taken, or moot, or a minute has
  // passed.
  struct Return {
    std::int64_t to = 0, stands = 0;
    Nanoseconds since{0};
  };
  std::optional<Return> return_;
  LentCache lent_;
  GrowingRest rest_;  // since what was taken of the cache went back
  std::optional<Nanoseconds> claimed_;
  // Larger buffers that are wished for, and of whom nobody grants them.
  KnobReadings knobs_;                          // as last seen
  std::optional<std::size_t> listed_families_;  // how many, where each has its size among them
  std::optional<double> buffers_;               // bytes of all, which hang on both
  std::optional<Nanoseconds> moved_;
  UnheardWishes unheard_;
  bool claims_ = false;
};

}  // namespace rocktune
