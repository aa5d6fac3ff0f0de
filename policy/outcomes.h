// Outcomes: follows each applied change through its evaluation window and says what came of it.
// Pure; bounded; internal to policy/.
//
// Over the second half of the window the mean of the feature that the decision named is compared
// with its value when decided. Better or worse means: by more than a tenth of the baseline, and by
// more than what that kind of value moves by itself (tolerance()). Wide: five times that. A change
// that the load explains - worse under more load, better under less, worse while other databases
// write more on the same device - is "unknown": nobody can tell what the knob did. The window is
// cut short, and the result is "unknown", when the same knob changes again (by us or by somebody
// else), when the database is reopened, or when the feature was not there for most of the half, or
// not when it was decided.
// Time in which the database was not read does not count: the window goes on after it; after five
// minutes of it at a stretch the result is "unknown". Where databases take turns each is read again
// and again, and its windows take as many times longer.
//
// A change that is not judged and came since the baseline (of ours, or by somebody else of another
// knob) may be what broke a service level: nobody is blamed for that.
//
// Steps in a row - the same rule moves the knob on, the same way, before the last step was judged -
// are judged together: the window begins anew with each, from the baseline of the first, and where
// they go back they go back to where the first began. Not those of the limiter, which answer a
// backlog from poll to poll: each finds another one. Nor after five minutes.
//
// A service level that was kept before the change and is broken over the second half, under a load
// that did not change and beside others who did not write more, makes the result "worse", whatever
// was expected. Not that of reads after a raise that is to relieve a backlog: where the two
// conflict the backlog wins, and whether the reads can have some of it back is the limiter's loop
// to find out (docs/control.md).
//
// When a change turns out badly while later changes of other knobs are still in their windows, the
// culprit is the newest of those whose own expected feature got worse since it was made; it is the
// change itself where there is none. Once the culprit was taken back, the change gets its window
// again, from the same baseline: it may be to blame as well. So it does where the culprit could not
// be taken back for minutes, and then the same culprit goes back if it is as bad still.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/decision.h"
#include "model/features.h"
#include "model/objective.h"
#include "model/trend.h"
#include "policy/gaps.h"
#include "policy/others_work.h"
#include "policy/slo_watch.h"
#include "policy/unreported.h"

namespace rocktune {

// What a feature was longer ago than this, in which nothing was read, says nothing of what a change
// did.
inline constexpr double kMostUnseenSeconds = 300;
// ...but of what was seen all the time it says something for so long: a rollback waits for the end
// of a freeze, and what it rests on is looked at again where that has taken minutes.
inline constexpr double kMostFrozenSeconds = 3600;

// A change that is to be taken back for what another one's evaluation showed.
struct Culprit {
  std::string id;
  Proposal proposal;
  Actuation actuation;
  std::string why;  // a clause
};

// A finished evaluation; `proposal` and `actuation` are what was followed.
struct Finished {
  Outcome outcome;
  Proposal proposal;
  Actuation actuation;
  bool worse_by_far = false;
  bool load_changed = false;       // operations differ by 30%: they moved the feature, too
  bool slo_broken = false;         // kept before, broken now, under the same load...
  std::optional<Driver> broken;    // ...which, at worst, and its objective
  std::optional<Culprit> culprit;  // where it is another change than this one
};

class Outcomes {
 public:
  explicit Outcomes(const Objective& objective = {});

  // An applied change of `proposal` begins its window at `now`; cuts others of the same knob short.
  void begin(const Decision& decision, const Actuation& actuation, const Features& features);
  // A change that came to another value than it should: nobody judges it.
  void misread(const Decision& decision, const Actuation& actuation, const Features& features);
  // `culprit`, by its decision's id, was taken back, or can be only now: those for which it was to
  // go back are judged again, and returned.
  enum class After { kTakenBack, kFreeze };
  std::vector<Decision> judge_again(const std::string& culprit, const Features& features,
                                    After after = After::kTakenBack);
  // Once per sample.
  std::vector<Finished> observe(const Features& features, const Unreported& under_way = {});
  // Cuts every window short.
  std::vector<Finished> end_all(const std::string& why);

  static double tolerance(const std::string& feature, double baseline);

 private:
  // Means and service levels over a part of the window.
  struct Tally {
    double sum = 0, weight = 0, load_sum = 0;  // of the feature: weighted, by what it is a share of
    double others_sum = 0;                     // what others write on the device
    int present = 0, load_present = 0, others_present = 0, samples = 0;
    std::vector<SloWatch::Watched> slos;  // in the order of slos_
  };
  struct Running {
    Decision decision;
    Actuation actuation;
    Nanoseconds made{0};
    Nanoseconds since{0};  // put off by the time in which nothing was read; begun when judged again
    double load_before = 0;  // operations/s
    Value others_before;     // bytes/s
    Tally whole, half;       // since the change; in the window's second half
    bool other_change = false;
    std::string waits_for;  // judged_: the culprit that is to go back first; it may be this one
    // ...where it is another one; after a freeze it is the culprit still.
    std::optional<Culprit> blamed;
    std::string again;  // this is the second judgement: after what, as a clause
    // Steps in a row: the first of them, when it was made, and how many there are.
    std::string first_id;
    Nanoseconds first_at{0};
    int steps = 1;
  };
  std::optional<Running> replace_others(const Decision& decision, const Actuation& actuation,
                                        const Features& features);
  std::optional<Running> cut_others(const Decision& decision, const Actuation& actuation,
                                    Nanoseconds now);
  static bool goes_on(const Running& earlier, const Decision& decision, const Actuation& actuation,
                      Nanoseconds now);
  static void join(const Running& earlier, Running& running);
  void unjudged(std::string what, Nanoseconds now);
  void look_at_knobs(const Features& features, const Unreported& under_way);
  void put_off(Nanoseconds time, std::vector<Finished>& out);
  void keep_for_later(const Running& running, const Finished& finished);
  void count(const Features& features, const Running& running, Tally& tally) const;
  [[nodiscard]] Finished finish(const Running& running, const std::vector<Running>& ended) const;
  // Both say whether what got worse is laid on others' writing (`others_more`).
  static bool judge(const Running& running, double gain, double tolerated, bool others_more,
                    Finished& out);
  bool judge_slos(const Running& running, bool others_more, Finished& out) const;
  [[nodiscard]] std::optional<Culprit> find_culprit(const Running& running,
                                                    const std::vector<Running>& ended) const;
  [[nodiscard]] std::string why_worse(const Running& running) const;
  static Finished cut_short(const Running& running, const std::string& why);
  // What hits is a share of other look-ups than before: filters have changed meanwhile.
  [[nodiscard]] bool other_look_ups(const Running& running) const;
  // What may explain that it got worse, as a clause; empty: others did not write more.
  static std::string others_wrote_more(const Running& running);

  std::vector<SloWatch> slos_;
  OthersWork others_;
  // Over the time that baselines are means of, so that both speak of the same load.
  Trend load_{Trend::Jumps::kKeep, 0, 10};
  std::vector<Running> running_;
  std::vector<Running> judged_;  // for which something is to go back, until it has
  Looks looks_;
  Nanoseconds absent_{0};  // for so long nobody has read the database; 0: it was just read
  struct FiltersChanged {
    std::string id;  // the decision's
    Nanoseconds tick{0};
  };
  std::optional<FiltersChanged> filters_;  // last
  struct Unjudged {
    std::string what;  // a clause's subject
    Nanoseconds tick{0};
  };
  std::optional<Unjudged> unjudged_;     // the last change that nobody judges
  KnobReadings knobs_;                   // as last read
  std::map<KnobId, std::int64_t> ours_;  // what we set last
  std::vector<Finished> cut_;            // to be handed out by the next observe()
};

}  // namespace rocktune
