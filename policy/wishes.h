// What a loop asked for, and what became of it. Pure; internal to policy/.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

// How long what is to go back is offered: as long as a rollback (policy/rollback.cc).
inline constexpr double kReturnOfferedSeconds = 60;

// A wish that stands, or comes back, for so long without any effect is held up by somebody else's
// word, a pin, a blame or a drift, and not by another change that is judged for a minute: others'
// turn.
inline constexpr double kUnheardSeconds = 60 + 15;

// Whether a knob fell (or rose) because its loop asked for that, at the look before or a moment
// ago. What others do (an operator, a rollback, what other databases are due) is no mistake of the
// loop's to learn from.
class OwnWish {
 public:
  enum class Way { kDown, kUp };
  explicit OwnWish(Way way = Way::kDown) : way_(way) {}
  bool explains(Nanoseconds now) const { return asked_ || within(at_, now, kLastsSeconds); }
  // At the end of each look.
  void note(const std::optional<Proposal>& proposal, Nanoseconds now) {
    asked_ = proposal &&
             (way_ == Way::kDown ? proposal->to < proposal->from : proposal->to > proposal->from);
    if (asked_) at_ = now;
  }

 private:
  static constexpr double kLastsSeconds = 2;
  Way way_;
  bool asked_ = false;
  std::optional<Nanoseconds> at_;
};

// Whether a wish is held up by somebody else's word, a pin or a drift: it stands, or comes back
// within a pause, for so long, and nobody grants it.
class UngrantedWish {
 public:
  // At the end of each look; true once, then it begins anew.
  bool update(bool wishes, Nanoseconds now, double patience_seconds, double pause_seconds) {
    if (!within(last_, now, pause_seconds)) first_.reset();
    if (!wishes) return false;
    last_ = now;
    if (!first_) first_ = now;
    if (within(first_, now, patience_seconds)) return false;
    first_.reset();
    return true;
  }
  void granted() { first_.reset(); }

 private:
  std::optional<Nanoseconds> first_, last_;
};

// Wishes for column families that nobody grants: a blame, a drift or the agent's own word holds
// them. Such a family rests, so that it holds up no other; as one that is blamed does
// (policy/blame.cc). Bounded by the number of column families.
class UnheardWishes {
 public:
  // At the end of each look in which it was wished for; true where its rest begins.
  bool wished(const std::string& column_family, Nanoseconds now, double patience_seconds,
              double pause_seconds) {
    Family& family = families_[column_family];
    if (!family.ungranted.update(true, now, patience_seconds, pause_seconds)) return false;
    family.rest.begin(now);
    return true;
  }
  void granted(std::string_view column_family) {
    const auto known = families_.find(column_family);
    if (known != families_.end()) families_.erase(known);
  }
  [[nodiscard]] bool rests(std::string_view column_family, Nanoseconds now) const {
    const auto known = families_.find(column_family);
    return known != families_.end() && known->second.rest.lasts(now);
  }
  // Twice in a row, within four hours, and nothing was granted since: whatever its next wish would
  // cost others, nobody may gain.
  [[nodiscard]] bool unheard_again(std::string_view column_family, Nanoseconds now) const {
    const auto known = families_.find(column_family);
    return known != families_.end() && !known->second.rest.is_first() &&
           known->second.rest.remembered(now);
  }
  // Those that are gone are forgotten.
  void keep(const std::vector<ColumnFamilyReading>& families) {
    std::erase_if(families_, [&families](const auto& known) {
      return std::none_of(families.begin(), families.end(),
                          [&known](const auto& family) { return family.name == known.first; });
    });
  }

 private:
  struct Family {
    UngrantedWish ungranted;
    GrowingRest rest;
  };
  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace rocktune
