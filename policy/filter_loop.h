// The loop of bloom_bits_per_key: filters where reads look into many files in vain, on RocksDB 9.8
// and later (before, the option cannot be changed; `rocktune advise` says so). Only new files have
// them, so they come with compaction. Never taken away again: it would cost the reads of all files
// written since. Pure; internal to policy/.
#pragma once

#include <optional>
#include <string_view>

#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {

class FilterLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation);
  void reset() { *this = FilterLoop(); }

 private:
  Trend reads_{Trend::Jumps::kKeep, 0, 15};
  Trend all_misses_{Trend::Jumps::kKeep, 0, 15}, misses_{Trend::Jumps::kKeep, 0, 15};
  ReadMisses read_misses_;
  Held wanted_;
  std::size_t turn_ = 0;
};

}  // namespace rocktune
