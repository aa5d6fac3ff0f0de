// JournalFilter: keeps the engine from saying the same thing at every tick. Pure; bounded by the
// number of knobs.
//
// - A proposal that was allowed and is asked for again although the knob still stands where it
//   stood (advise mode; or not applied yet) is dropped, before the guard sees it, for a minute,
//   then for 2, 4, ... up to an hour: it would spend the guard's dwell and change budget on
//   nothing. Rules that ask for this and that in turns are told of once each.
// - One that failed may be tried again after 5 s, then 10, 20, ... up to a minute; one that was not
//   sent to the agent after a second.
// - One that is held or rejected is journalled again when its reason's class changes (the verdict's
//   kind, the guard's rule or the policy's rule), or after 1, 2, 4, ... 60 minutes.
// - What was not asked for, after its time, for as long again begins anew with a minute.
// - What nobody has asked for in four hours is forgotten: longer than all of these times. Column
//   families come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/decision.h"

namespace rocktune {

class JournalFilter {
 public:
  // Whether the proposal is to go to the guard at all.
  [[nodiscard]] bool wants(const Proposal& proposal, Nanoseconds now) const;
  // Whether the decision is to be journalled; remembers it.
  bool admits(const Decision& decision, Nanoseconds now);
  void failed(const Proposal& proposal, Nanoseconds now);
  void not_sent(const Proposal& proposal, Nanoseconds now);
  // It was made, or may be asked for again at once.
  void forget(const Proposal& proposal);
  void reset() { knobs_.clear(); }
  [[nodiscard]] std::size_t remembered() const { return knobs_.size(); }

 private:
  // When something was said, and for how long it is not said again.
  class Pause {
   public:
    explicit Pause(Nanoseconds now, double seconds = 60) : said_(now), seconds_(seconds) {}
    [[nodiscard]] bool over(Nanoseconds now) const;
    void say_again(Nanoseconds now);

   private:
    Nanoseconds said_;
    double seconds_;
  };
  using Said = std::pair<std::string, bool>;  // rule, and whether upwards
  struct Knob {
    std::int64_t from = 0;
    std::map<Said, Pause> allowed;         // from there
    std::map<std::string, Pause> refused;  // by class; the classes are few
    int failures = 0;
    std::optional<Nanoseconds> retry_at;
    Nanoseconds used{0};
  };
  static Said said(const Proposal& proposal);
  void forget_unused(Nanoseconds now);
  std::map<KnobId, Knob> knobs_;
  std::optional<Nanoseconds> looked_for_unused_;
};

}  // namespace rocktune
