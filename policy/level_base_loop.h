// The loop of max_bytes_for_level_base: the level that level 0 is compacted into holds as much as
// one compaction of level 0 brings,
//
//   level0_file_num_compaction_trigger * write_buffer_size
//
// which is RocksDB's own proportion (its defaults: 4 files of 64 MiB, and 256 MiB). Larger buffers
// and a raised trigger (buffers_loop.h, l0_trigger_loop.h) leave it behind, and gain little then:
// RocksDB compacts level 0 as soon as it holds max_bytes_for_level_base, however few its files
// (VersionStorageInfo::ComputeCompactionScore, db/version_set.cc, RocksDB 5 to 11), and what does
// not fit into the next level goes on at once to one that is ten times as large. Who found or set
// another proportion has it kept: the base follows only what level 0 brings more since.
//
// A smaller base makes all that is above the new targets a debt, at once, and the base that was
// found comes back by itself when rocktuned is gone (leases). So the debt that this would be is
// kept away from where RocksDB delays writes: not raised above half of that, lowered by half at
// three quarters. Else back in long comfort, where less comes at a time.
// Pure; bounded by the number of column families; internal to policy/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/level0_merges.h"
#include "policy/situation.h"

namespace rocktune {

// What one compaction of level 0 brings, in bytes; 0: not known, or the column family is not
// leveled. Compression and buffers that are flushed early are left out, as in RocksDB's defaults.
double level0_batch_bytes(const Features& features, std::string_view column_family);

class LevelBaseLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);
  void reset() { *this = LevelBaseLoop(); }

 private:
  struct Base {
    std::int64_t value = 0;
    // What level 0 brought when others set it, it was lowered, or seen first: it follows more only.
    double batch = 0;
    bool follows = false;  // it stands where this loop has put it
  };
  void note_changes(const Features& features, Nanoseconds now);
  [[nodiscard]] Base look_at(const KnobReading& reading, const Features& features,
                             Nanoseconds now) const;
  [[nodiscard]] std::optional<Proposal> raise(const Situation& situation,
                                              const Level0Merges& merges) const;
  [[nodiscard]] std::optional<Proposal> lower_idle(const Situation& situation, double idle) const;
  [[nodiscard]] std::optional<Proposal> lower_for_debt(const Situation& situation) const;

  std::map<std::string, Base, std::less<>> bases_;  // by column family
  KnobReadings knobs_;                              // as last seen
  std::optional<std::string> wished_;  // the column family whose base was asked for last
  std::optional<Nanoseconds> wished_at_, lowered_;
  Held pressed_, idle_;
};

}  // namespace rocktune
