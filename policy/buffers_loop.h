// The write buffers' loop: larger ones where writes cost the device more in compaction than the
// same memory saves it as cache; back to what was found when nobody writes. Pure; bounded by the
// number of column families; internal to policy/.
//
// What doubling the buffers of a column family saves: policy/level0_merges.h.
//
// What taking `bytes` from the cache costs, with misses that grow as a power of the cache's size:
//
//   lost = misses/s * elasticity * bytes / cache * what a miss takes of the device
//
// Misses and elasticity are of those that reads wait for (policy/memory.h); where nobody reads the
// cache is worth nothing. The elasticity depends on how the
// load's favourites lie in blocks. It is found by a probe, a quarter of the cache for ten seconds,
// and learnt anew with every change of the cache, from the misses that a read has before and after
// it. These move by themselves, too, with every compaction: what was measured counts by how far it
// stands out of that, beside what is usual.
#pragma once

#include <optional>
#include <string>

#include "policy/level0_merges.h"
#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {

class BuffersLoop {
 public:
  // For the write buffers, or for the cache where it is to make room.
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);
  // The cache is not to grow: the memory is meant for the write buffers, or was a moment ago, or a
  // probe is under way.
  [[nodiscard]] bool claims_memory() const { return claims_; }
  void reset() { *this = BuffersLoop(); }

 private:
  struct Family {
    const KnobReading* size = nullptr;
    const KnobReading* number = nullptr;
    Level0Merging writes;
  };
  struct Doubling {
    // bytes: by which the buffers are to grow, at least or not at all, and that nobody uses
    double wanted = 0, least = 0, free = 0;
    double saves = 0, costs = 0;  // bytes/s of the device: as buffers, and as cache
  };
  std::optional<Proposal> look_and_decide(const Situation& situation, const Level0Merges& merges);
  void observe(const Situation& situation);
  void learn_elasticity(const Situation& situation);
  [[nodiscard]] bool misses_are_steady() const;
  void forget_other_working_set(const Situation& situation, const Value& misses_per_read);
  std::optional<Proposal> take_from_cache(const Situation& situation, double bytes,
                                          std::string_view rule, std::string reason);
  [[nodiscard]] static std::optional<Family> busiest(const Situation& situation,
                                                     const Level0Merges& merges);
  [[nodiscard]] static double least_growth(const Family& family);  // bytes
  [[nodiscard]] bool read_lately(const Situation& situation) const;
  [[nodiscard]] bool worth_is_known(const Situation& situation) const;
  // Absent: nobody can tell, as while the cache is filling.
  [[nodiscard]] std::optional<double> lost(const Situation& situation, double bytes) const;
  std::optional<Proposal> end_trade(const Situation& situation);
  std::optional<Proposal> offer_return(const Situation& situation);
  [[nodiscard]] std::optional<Doubling> doubling(const Situation& situation,
                                                 const Family& family) const;
  [[nodiscard]] Proposal grown(const Situation& situation, const Family& family,
                               const Doubling& doubling) const;
  std::optional<Proposal> make_room(const Situation& situation, const Doubling& doubling);
  std::optional<Proposal> grow(const Situation& situation, const Family& family);
  std::optional<Proposal> give_back(const Situation& situation);
  std::optional<Proposal> give_idle_back(const Situation& situation,
                                         const std::optional<Family>& family, bool writes_press);

  Trend hit_ratio_{Trend::Jumps::kKeep, 0, 15};
  ReadMisses read_misses_;
  Trend misses_{Trend::Jumps::kKeep, 0, 15};  // per second
  Trend misses_per_read_{Trend::Jumps::kKeep, 0, 15};
  // The cache before its last change, until the misses of after it are known.
  struct Change {
    Nanoseconds tick{0};
    double bytes_before = 0, misses_before = 0, deviation = 0;
  };
  std::optional<std::int64_t> cache_;
  std::optional<Change> change_;
  struct Elasticity {
    double value = 0, misses_per_read = 0;  // ...where it was learnt
    Nanoseconds tick{0};
  };
  std::optional<Elasticity> elasticity_;
  Held pressed_, idle_, not_full_, held_up_;
  // The cache before what was taken of it, until the buffers have that.
  std::optional<std::int64_t> taken_from_;
  // What a probe took, to go back to the cache: offered until it is taken, or moot, or a minute has
  // passed.
  struct Return {
    std::int64_t to = 0, stands = 0;
    Nanoseconds since{0};
  };
  std::optional<Return> return_;
  std::optional<Nanoseconds> resting_since_, claimed_, read_at_;
  std::int64_t last_from_ = 0;   // of the last wish
  double not_full_seconds_ = 0;  // that the cache has not been full; 0: it is
  bool claims_ = false;
};

}  // namespace rocktune
