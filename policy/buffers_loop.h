// The write buffers' loop: larger ones where writes cost the device more in compaction than the
// same memory saves it as cache; back to what was found when nobody writes. Pure; bounded by the
// number of column families; internal to policy/.
//
// What doubling the buffers of a column family saves, in bytes/s that compactions read and write: a
// compaction of level 0 reads and writes what the next level holds there, once for every few
// buffers; with buffers twice the size half as often. What compactions of level 0 read beyond what
// was flushed is just that, so half of it is not read and as much is not written:
//
//   saved = input of level-0 compactions/s - flushed/s
//
// What taking `bytes` from the cache costs, with a hit ratio that grows with the logarithm of the
// cache's size:
//
//   lost = lookups/s * slope * bytes / cache * kMissBytes
//
// The slope cannot be guessed: it depends on how the load's favourites lie in blocks. It is found
// by a probe, a quarter of the cache for ten seconds, and learnt anew with every change of the
// cache.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/situation.h"

namespace rocktune {

class BuffersLoop {
 public:
  // At most one proposal for the write buffers, and one for the cache where it is to make room.
  std::vector<Proposal> decide(const Situation& situation);
  // The cache is not to grow: the memory is meant for the write buffers, or a probe is under way.
  [[nodiscard]] bool claims_memory() const { return claims_; }
  void reset() { *this = BuffersLoop(); }

 private:
  struct Writes {
    std::uint64_t flushes = 0, l0_input_bytes = 0;  // as last read
    double flushed = 0, l0_input = 0;               // bytes/s, smoothed
    double seconds = 0;                             // of them so far
    bool seen = false;
    [[nodiscard]] double saved_by_doubling() const {
      return l0_input > flushed ? l0_input - flushed : 0;
    }
  };
  struct Family {
    const KnobReading* size = nullptr;
    const KnobReading* number = nullptr;
    Writes writes;
  };
  void observe(const Situation& situation);
  void learn_slope(const Situation& situation);
  std::optional<Proposal> take_from_cache(const Situation& situation, double bytes,
                                          std::string_view rule, std::string reason);
  [[nodiscard]] std::optional<Family> busiest(const Situation& situation) const;
  // Absent: nobody can tell, as while the cache is filling.
  [[nodiscard]] std::optional<double> lost(const Situation& situation, double bytes) const;
  std::optional<Proposal> end_probe(const Situation& situation);
  std::optional<Proposal> offer_return(const Situation& situation);
  std::vector<Proposal> grow(const Situation& situation, const Family& family);
  std::optional<Proposal> give_back(const Situation& situation);

  std::map<std::string, Writes> writes_;
  Trend hit_ratio_{Trend::Jumps::kKeep, 0, 15};
  Trend lookups_{Trend::Jumps::kKeep, 0, 15};
  // The cache before its last change, until the hit ratio of after it is known.
  struct Change {
    Nanoseconds tick{0};
    double bytes_before = 0, hit_ratio_before = 0;
  };
  std::optional<std::int64_t> cache_;
  std::optional<Change> change_;
  struct Slope {
    double value = 0, hit_ratio = 0;  // ...and where it was learnt
    Nanoseconds tick{0};
  };
  std::optional<Slope> slope_;
  Held pressed_, idle_, not_full_, held_up_;
  std::optional<std::int64_t> probed_from_;  // the cache before the probe that is under way
  // What a probe took, to go back to the cache: offered until it is taken, or moot, or a minute has
  // passed.
  struct Return {
    std::int64_t to = 0, stands = 0;
    Nanoseconds since{0};
  };
  std::optional<Return> return_;
  std::optional<Nanoseconds> resting_since_;
  std::int64_t last_from_ = 0;   // of the last wish
  double not_full_seconds_ = 0;  // that the cache has not been full; 0: it is
  bool claims_ = false;
};

}  // namespace rocktune
