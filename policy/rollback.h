// Rollbacks: when a change of ours made things clearly worse, proposes the earlier value again. The
// guard judges that like everything else. Pure; bounded by the number of knobs; internal.
//
// A change is taken back when its outcome was worse by far or broke a service level that was kept
// before, the load had not changed meanwhile, and the knob still stands where the change put it.
// Where changes overlapped it is the culprit that goes back (policy/outcomes.h), not the change
// whose window showed it. What relieves a backlog is not taken away while the backlog lasts: then
// the backlog got worse in spite of the change, not because of it. And what has given memory does
// not take it while that is low. A base of the levels goes back as far as its debt allows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/decision.h"
#include "model/features.h"
#include "policy/gaps.h"
#include "policy/memory.h"
#include "policy/outcomes.h"
#include "policy/unreported.h"

namespace rocktune {

inline constexpr std::string_view kRollbackRule = "rollback.regression";

class Rollbacks {
 public:
  void consider(const Finished& finished, Nanoseconds now);
  // What is wanted in this step; each is offered for a minute in which the database is read and the
  // knob can be changed, or until done() or moot; not after five minutes in which it was not there,
  // or an hour of a freeze. One that is under way waits for its report. Call once per sample.
  std::vector<Proposal> propose(const Features& features, const std::vector<Indicator>& indicators,
                                const Unreported& under_way = {});
  // A rollback was carried out, and the knob is at `after`: returns what was taken back. What went
  // back only a part of the way (the guard allows steps) is offered on, and not returned yet.
  std::optional<Culprit> done(const Proposal& proposal, std::int64_t after);
  // It was carried out, and the knob took another value: as far back as it goes.
  std::optional<Culprit> misread(const Proposal& proposal);
  // Those that were given up since the last call, or kept for a backlog that lasted: what is told
  // of them, and of the first whom to blame all the same.
  std::vector<GuardNote> take_notes() { return std::exchange(notes_, {}); }
  std::vector<Culprit> take_given_up() { return std::exchange(given_up_, {}); }
  // Those that can be made again after more than five minutes in which they could not: to be judged
  // anew, since what they rest on is that old. Whoever takes them says what became of them.
  struct Thawed {
    Culprit culprit;
    double frozen_seconds = 0;
  };
  std::vector<Thawed> take_thawed() { return std::exchange(thawed_, {}); }
  void say_thawed(const Thawed& thawed, bool judged_again);
  // Nobody takes back any more what was to be: notes for all of them.
  void end(const std::string& why);
  void reset() { *this = Rollbacks(); }

 private:
  struct Wanted {
    Culprit culprit;
    Expectation expected;         // of the rollback
    std::optional<double> limit;  // before the change; of a service level its objective
    Nanoseconds since{0};  // put off by the time in which nothing was read, or not changeable
    // Seconds in which the database was read and the knob not changeable, or not there.
    double frozen = 0, absent = 0;
  };
  // One sample, as all of them are looked at.
  struct Look {
    const Features& features;
    const Unreported& under_way;
    Looks::Passed passed;
    bool backlog = false;
  };
  // Offers it where it may be made; true: nobody wants it any more.
  bool is_over(Wanted& wanted, const Look& look, std::vector<Proposal>& out);
  static void put_off(Wanted& wanted, const KnobReading* reading, const Look& look);
  void note(const Culprit& culprit, const std::string& why);
  void give_up(const Wanted& wanted, bool gone, const char* why);
  void keep(const Wanted& wanted, bool gone);
  static Proposal back(const Wanted& wanted, std::int64_t to);
  std::map<KnobId, Wanted> wanted_;
  std::vector<GuardNote> notes_;
  std::vector<Culprit> given_up_;
  std::vector<Thawed> thawed_;
  Looks looks_;
  MemoryWatch memory_;
};

}  // namespace rocktune
