// The loop of level0_file_num_compaction_trigger: more files of level 0 in one compaction, where
// merging them with the next level is what keeps the device busy (policy/level0_merges.h). It takes
// no memory, unlike larger write buffers, but reads look into more files: only where filters spare
// them that, or where hardly anybody reads. Pure; bounded; internal to policy/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/learnt_wait.h"
#include "policy/level0_merges.h"
#include "policy/situation.h"
#include "policy/wishes.h"

namespace rocktune {

class L0TriggerLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation, const Level0Merges& merges);

 private:
  std::optional<Proposal> look_and_decide(const Situation& situation, const Level0Merges& merges);
  [[nodiscard]] std::optional<Proposal> raise(const Situation& situation,
                                              const Level0Merges& merges) const;
  // Of the raised ones that `which` picks, but for those whose wishes rest, the one whose level 0
  // is fullest.
  using Which = bool (*)(const Situation&, std::string_view column_family);
  [[nodiscard]] std::optional<Proposal> lower(const Situation& situation, std::string_view rule,
                                              std::string reason, Which which) const;

  void begin_rest(Nanoseconds now);
  void note_changes(const Features& features);

  static constexpr double kIdleSeconds = 300, kFirstRestSeconds = 900;
  Held pressed_, crowded_, idle_, unsuited_;
  // Since level 0 was crowded, or it went back for reads.
  GrowingRest rest_{kFirstRestSeconds};
  // Of peace before a raised trigger goes back: a load that presses now and then in a steady state
  // is learnt, not chased.
  LearntWait idle_wait_{kIdleSeconds};
  OwnWish idle_wish_, reads_wish_, raise_wish_{OwnWish::Way::kUp};
  KnobReadings knobs_;             // as last seen
  UnheardWishes unheard_;          // raises
  UnheardWishes unheard_returns_;  // each may be blamed or pinned, and holds up no other
};

}  // namespace rocktune
