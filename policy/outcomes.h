// Outcomes: follows each applied change through its evaluation window and says what came of it.
// Pure; bounded; internal to policy/.
//
// Over the second half of the window the mean of the feature that the decision named is compared
// with its value when decided. Better or worse means: by more than a tenth of the baseline, and by
// more than what that kind of value moves by itself (tolerance()). Wide: five times that. The
// window is cut short, and the result is "unknown", when the same knob changes again (by us or by
// somebody else), when the database is reopened, or when the feature was not there for most of the
// half.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/decision.h"
#include "model/features.h"

namespace rocktune {

// A finished evaluation; `proposal` and `actuation` are what was followed.
struct Finished {
  Outcome outcome;
  Proposal proposal;
  Actuation actuation;
  bool worse_by_far = false;
  bool load_changed = false;  // reads or writes differ by 30%: others moved the feature, too
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
    double load_before = 0;
    double sum = 0, load_sum = 0;
    int present = 0, samples = 0;
    bool other_change = false;
  };
  static Finished finish(const Running& running);
  static Finished cut_short(const Running& running, const std::string& why);

  std::vector<Running> running_;
  std::vector<Finished> cut_;  // to be handed out by the next observe()
};

}  // namespace rocktune
