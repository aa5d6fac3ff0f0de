// The loop of level0_file_num_compaction_trigger: more files of level 0 in one compaction, where
// merging them with the next level is what keeps the device busy (policy/level0_merges.h). It takes
// no memory, unlike larger write buffers, but reads look into more files: only where filters spare
// them that, or where hardly anybody reads. Pure; bounded; internal to policy/.
#pragma once

#include <optional>

#include "policy/level0_merges.h"
#include "policy/situation.h"

namespace rocktune {

class L0TriggerLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);
  void reset() { *this = L0TriggerLoop(); }

 private:
  [[nodiscard]] static std::optional<Proposal> raise(const Situation& situation,
                                                     const Level0Merges& merges);
  [[nodiscard]] static std::optional<Proposal> lower(const Situation& situation,
                                                     std::string_view rule, std::string reason,
                                                     double least_share);

  Held pressed_, crowded_, idle_;
  std::optional<Nanoseconds> crowded_at_;
};

}  // namespace rocktune
