// The loop of bloom_bits_per_key: filters where reads look into many files in vain, on RocksDB 9.8
// and later (before, the option cannot be changed; `rocktune advise` says so). Only new files have
// them, so they come with compaction. Never taken away again: it would cost the reads of all files
// written since, and give back memory as slowly. So what they will take has to be there: they lie
// beside the block cache unless the host put them into it, which is not known here. Pure; internal
// to policy/.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "policy/level0_merges.h"
#include "policy/memory.h"
#include "policy/situation.h"
#include "policy/table_share.h"

namespace rocktune {

class FilterLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);

 private:
  // With how many sorted runs a read may look into.
  using Candidate = std::pair<const KnobReading*, double>;
  [[nodiscard]] std::vector<Candidate> candidates(const Situation& situation) const;
  [[nodiscard]] Value entry_bytes(const Features& features) const;

  Trend all_misses_{Trend::Jumps::kKeep, 0, 15};
  // Of the user, per second: what an entry takes is told by them.
  Trend writes_{Trend::Jumps::kKeep, 0, 60}, written_{Trend::Jumps::kKeep, 0, 60};
  TableShare tables_;
  Held wanted_;
  std::size_t turn_ = 0;
};

}  // namespace rocktune
