// Outcomes: follows each applied change through its evaluation window and says what came of it.
// Pure; bounded; internal to policy/.
//
// Over the second half of the window the mean of the feature that the decision named is compared
// with its value when decided. Better or worse means: by more than a tenth of the baseline, and by
// more than what that kind of value moves by itself (tolerance()). Wide: five times that. A change
// that the load explains - worse under more load, better under less - is "unknown": nobody can tell
// what the knob did. The window is cut short, and the result is "unknown", when the same knob
// changes again (by us or by somebody else), when the database is reopened, or when the feature was
// not there for most of the half.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/decision.h"
#include "model/features.h"
#include "model/trend.h"

namespace rocktune {

// A finished evaluation; `proposal` and `actuation` are what was followed.
struct Finished {
  Outcome outcome;
  Proposal proposal;
  Actuation actuation;
  bool worse_by_far = false;
  bool load_changed = false;  // operations differ by 30%: they moved the feature, too
};

class Outcomes {
 public:
  // An applied change of `proposal` begins its window at `now`; cuts others of the same knob short.
  void begin(const Decision& decision, const Actuation& actuation, const Features& features);
  // Once per sample.
  std::vector<Finished> observe(const Features& features);
  // Cuts every window short.
  std::vector<Finished> end_all(const std::string& why);

  static double tolerance(const std::string& feature, double baseline);

 private:
  struct Running {
    Decision decision;
    Actuation actuation;
    Nanoseconds since{0};
    double load_before = 0;  // operations/s
    double sum = 0, load_sum = 0;
    int present = 0, load_present = 0, samples = 0;
    bool other_change = false;
  };
  static Finished finish(const Running& running);
  static void judge(const Running& running, double gain, double tolerated, Finished& out);
  static Finished cut_short(const Running& running, const std::string& why);

  // Over the time that baselines are means of, so that both speak of the same load.
  Trend load_{Trend::Jumps::kKeep, 0, 10};
  std::vector<Running> running_;
  std::vector<Finished> cut_;  // to be handed out by the next observe()
};

}  // namespace rocktune
