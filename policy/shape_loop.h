// The slow loop of the tree's shape: max_bytes_for_level_base and target_file_size_base of the
// column family that flushed most. There is no formula that holds for every load (published figures
// contradict each other), so it tries: one step of one knob, ten minutes of the same load before
// and after, kept if write amplification fell and neither reads nor space paid for it, taken back
// otherwise; at once where that cannot be told any more, or writers lose time with it. After a
// round without gain it rests for hours. Pure; internal to policy/.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/situation.h"

namespace rocktune {

class ShapeLoop {
 public:
  static constexpr double kMeasureSeconds = 600;
  // After a change old and new shape live side by side for a while.
  static constexpr double kSettleSeconds = 600;
  static constexpr double kRestSeconds = 6 * 3600;
  // A trial that was not judged in so long after it settled has failed.
  static constexpr double kLongestMeasureSeconds = 3 * kMeasureSeconds;
  // ...and one with which writers were seen to lose time for so long, and for longer than before
  // it: what the limiter and more jobs can end (5 to 30 s) is over by then.
  static constexpr double kMostLostSeconds = 30;

  std::optional<Proposal> decide(const Situation& situation);
  // Another loop moves the knob: a trial that was asked for, and not made, is none.
  void give_way();
  // A trial is in the tree, and not judged yet.
  [[nodiscard]] bool measures() const { return trial_ && trial_->applied_at; }

 private:
  // What a shape costs, over one measurement.
  struct Cost {
    double seconds = 0;  // so far
    double user = 0, background = 0, p99 = 0, p99_seconds = 0, space = 0, space_seconds = 0;
    double half_user = 0, half_background = 0;  // the part of it in the first half of the time
    [[nodiscard]] double amplification() const { return background / user; }
    // Of its halves: what lies between them moves by itself.
    [[nodiscard]] std::pair<double, double> amplifications() const {
      return std::minmax(half_background / half_user,
                         (background - half_background) / (user - half_user));
    }
    [[nodiscard]] double mean_p99_us() const { return p99_seconds > 0 ? p99 / p99_seconds : 0; }
    [[nodiscard]] double mean_space() const {
      return space_seconds > 0 ? space / space_seconds : 0;
    }
  };
  struct Trial {
    std::string knob, column_family;
    std::int64_t from = 0, to = 0;
    Cost before;
    Nanoseconds asked_at{0};
    std::optional<Nanoseconds> applied_at;
    double lost_before = 0, lost = 0;         // seconds in which writers lost time; since that
    std::optional<Nanoseconds> unseen_since;  // the knob is not in the samples
    std::optional<Nanoseconds> failed_at;     // to be taken back, and why
    std::string why;
  };
  enum class Judgement { kBetter, kWorse, kIncomparable };

  void measure(const Situation& situation);
  void note_lost_time(const Situation& situation);
  // Of the leveled column families that may compact the one that flushed most bytes while this was
  // measured; of as many the one that holds most. Null: none holds anything.
  [[nodiscard]] const ColumnFamilyReading* written_most(const Features& f) const;
  static Judgement judge(const Cost& before, const Cost& after, std::string& why);
  std::optional<Proposal> try_next(const Situation& situation);
  std::optional<Proposal> follow(const Situation& situation);
  // The steps of following a trial: whether it goes on, with the knob there; what is asked for
  // until it is made; what becomes of it then, and once it has failed.
  bool goes_on(const KnobReading* reading, Nanoseconds now);
  std::optional<Proposal> ask(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> await_judgement(const Situation& situation, const KnobReading& reading);
  // Why it has failed, before anybody can judge it; empty: it has not.
  std::string spoilt(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> fail(const Situation& situation, const KnobReading& reading,
                               std::string why);
  std::optional<Proposal> take_back(const Situation& situation, const KnobReading& reading);
  // What an earlier engine left, before a restart or another configuration, was in the middle of a
  // trial, or is not known to gain: it goes back to what was found, which later trials are compared
  // with.
  std::optional<Proposal> undo_inherited(const Situation& situation);
  static std::optional<Proposal> undo(const Situation& situation, const KnobReading* reading);
  void end_trial(bool gained, Nanoseconds now);
  void next_candidate(Nanoseconds now);

  struct Inherited {
    std::string knob, column_family;
  };
  std::optional<std::vector<Inherited>> inherited_;  // absent: not looked for yet
  Nanoseconds turn_since_{0};                        // of the last of them
  std::optional<Nanoseconds> returned_at_;           // the one before it
  Cost cost_;
  std::map<std::string, std::uint64_t> flushes_before_;  // of each column family, at its beginning
  std::optional<Trial> trial_;
  int candidate_ = 0;
  bool tried_ = false, gained_ = false;  // in this round
  double rest_seconds_ = kRestSeconds;
  std::optional<Nanoseconds> resting_since_, settling_since_;
  double lost_ = 0;  // seconds in which writers lost time, a third of them after an hour
};

}  // namespace rocktune
