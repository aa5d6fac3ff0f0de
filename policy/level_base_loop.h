// The loop of max_bytes_for_level_base: the level that level 0 is compacted into holds as much as
// one compaction of level 0 brings,
//
//   level0_file_num_compaction_trigger * write_buffer_size * (file / buffer)
//
// which is RocksDB's own proportion (its defaults: 4 files of 64 MiB, and 256 MiB). Larger buffers
// and a raised trigger (buffers_loop.h, l0_trigger_loop.h) leave it behind, and gain little then:
// RocksDB compacts level 0 as soon as it holds max_bytes_for_level_base, however few its files
// (VersionStorageInfo::ComputeCompactionScore, db/version_set.cc, RocksDB 5 to 11), and what does
// not fit into the next level goes on at once to one that is ten times as large. Who found or set
// another proportion has it kept: the base follows only what level 0 brings more since.
//
// A smaller base makes all that is above the new targets a debt, at once, and the base that was
// found comes back by itself when rocktuned is gone (leases). So what would be pending then is kept
// away from where RocksDB delays writes (policy/level_base.h): no raise above what would be borne
// once the level below level 0 has filled, and lowered where three quarters of the limit would be
// pending, as far as that is borne now. Else it goes back in long comfort, where less comes at a
// time. Pure; bounded by the number of column families; internal to policy/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "policy/level0_merges.h"
#include "policy/situation.h"
#include "policy/wishes.h"

namespace rocktune {

class LevelBaseLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);

 private:
  struct Base {
    std::int64_t value = 0;  // as last seen
    // From where to where this loop, or one like it before a restart, has raised it: what stands
    // there it may lower again in idle times. What a trial of the tree's shape made of it is not.
    std::int64_t raised_from = 0, raised_to = 0;
    // As it was before lowerings of this loop that followed on each other, and when the last was.
    struct Lowered {
      std::int64_t value = 0, raised_from = 0, raised_to = 0;
      std::optional<Nanoseconds> last;
    } lowered;
    // What level 0 brought, in buffers, as it was found; or when others moved the base, or this
    // loop lowered it.
    double batch = 0;
    OwnWish up{OwnWish::Way::kUp}, down{OwnWish::Way::kDown};
  };
  using Bases = std::map<std::string, Base, std::less<>>;

  void note_changes(const Features& features, Nanoseconds now);
  static Base first_look(const KnobReading& reading, const Features& features,
                         const ColumnFamilyReading& family);
  void follow(Base& base, const KnobReading& reading, double batch, Nanoseconds now);
  // The base of a family that this loop may move now, and what is known of it.
  struct Movable {
    const KnobReading* reading = nullptr;
    const Base* base = nullptr;
  };
  [[nodiscard]] std::optional<Movable> movable(const Situation& situation,
                                               const ColumnFamilyReading& family,
                                               const UnheardWishes& wishes) const;
  [[nodiscard]] std::optional<Proposal> raise(const Situation& situation,
                                              const Level0Merges& merges) const;
  [[nodiscard]] std::optional<Proposal> lower_idle(const Situation& situation,
                                                   const Level0Merges& merges, double idle) const;
  [[nodiscard]] std::optional<Proposal> lower_for_debt(const Situation& situation) const;
  std::optional<Proposal> look_and_decide(const Situation& situation, const Level0Merges& merges);
  void note_wish(const std::optional<Proposal>& wish, Nanoseconds now);

  Bases bases_;                              // by column family
  UnheardWishes unheard_, unheard_returns_;  // raises, and lowerings
  KnobReadings knobs_;                       // as last seen
  std::optional<std::size_t> families_;      // how many, where what they bring is known of all
  bool raised_ = false;                      // any of them is above what was found
  std::optional<Nanoseconds> lowered_;
  Held pressed_, idle_;
};

}  // namespace rocktune
