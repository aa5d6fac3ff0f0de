// The loop of writable_file_max_buffer_size: flushes and compactions write in pieces of at most
// this size (RocksDB's default is 1 MiB), and a read that comes meanwhile waits behind the piece.
// Smaller pieces let reads in between. How much is written stays the same. Pure; bounded; internal
// to policy/.
//
// Whether reads wait behind writes is seen at the device: there a write takes long, a read less
// than that, and the reads' P99 is of a write's length - or, where little is written, far above
// what it is without. What it cost or brought is measured: pieces that gained reads nothing, or
// cost operations, or that level 0 did not bear (as far as writers matter beside reads, by the
// objective, and beside others on the device), go back to what was found - and are made small again
// where writers lose as much time with large ones. Reads are looked at in the samples in which
// flushes or compactions worked, and in no others: a flush every few seconds is what reads wait
// for, and hardly seen in a mean over all of the time.
//
// Who is not read sees nothing of this. It writes in pieces as small as its neighbour on the device
// made its own, for as long as that one does (policy/sharing.h), and so before its writes come.
#pragma once

#include <optional>
#include <string>

#include "policy/growing_rest.h"
#include "policy/situation.h"
#include "policy/wishes.h"
#include "policy/write_relief.h"

namespace rocktune {

class WriteSizeLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation);

 private:
  static constexpr double kWorkSeconds = 15, kTrialSeconds = 30, kBacklogRestSeconds = 120;
  struct Trial {
    Nanoseconds tick{0};
    double read_p99_us = 0;  // before it, as all that follows
    Value read_mean_us, work_operations;
    double operations = 0;
    std::optional<double> ms_per_byte;    // but this: as it began
    std::optional<double> device_writes;  // bytes/s while there was work
  };
  void observe(const Situation& situation, const KnobReading& reading);
  // Whether reads wait behind writes: as their P99 says now, or as it will when more is written.
  enum class Waits { kNo, kInBulk, kNow };
  [[nodiscard]] Waits reads_wait_for_writes(const Situation& situation) const;
  std::optional<Proposal> lower(const Situation& situation, const KnobReading& reading);
  [[nodiscard]] bool rests(Nanoseconds now) const;
  std::optional<Proposal> follow(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> back(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> undo_relief(const Situation& situation, const KnobReading& reading) const;
  [[nodiscard]] bool same_conditions(bool shared) const;
  [[nodiscard]] bool costs_operations() const;
  [[nodiscard]] std::string trial_text() const;
  [[nodiscard]] bool gained_clearly() const;
  [[nodiscard]] bool gained_nothing(bool shared) const;

  // While flushes or compactions work
  Trend write_await_{Trend::Jumps::kKeep, 0, kWorkSeconds};
  Trend read_await_{Trend::Jumps::kKeep, 0, kWorkSeconds};
  Trend read_p99_{Trend::Jumps::kKeep, 0, kTrialSeconds};
  Trend at_device_{Trend::Jumps::kKeep, 0, kWorkSeconds};  // the device's reads for each of ours
  Trend write_ms_per_byte_{Trend::Jumps::kKeep, 0, kTrialSeconds};
  Trend device_writes_{Trend::Jumps::kKeep, 0, kTrialSeconds};
  Trend read_mean_{Trend::Jumps::kKeep, 0, kTrialSeconds};
  Trend work_operations_{Trend::Jumps::kKeep, 0, kTrialSeconds};
  Trend undisturbed_p99_{Trend::Jumps::kKeep, 0, kWorkSeconds};  // while they do not
  Trend operations_{Trend::Jumps::kKeep, 0, kWorkSeconds};       // all of the time but stalls
  Held stalled_, unasked_;
  std::optional<std::int64_t> offered_size_;  // as a neighbour has it
  bool follows_ = false;                      // the present size is a neighbour's
  std::optional<std::int64_t> size_;          // as last seen
  std::optional<Nanoseconds> looked_at_;
  std::optional<Trial> trial_;                // smaller pieces that are not judged yet
  std::optional<Nanoseconds> offered_since_;  // what was found
  OwnWish back_wish_{OwnWish::Way::kUp};
  struct Reasons {
    bool futile = false, too_slow = false;
  };
  Reasons wanted_back_;  // the last time
  // No trial for so long: since one went back that gained nothing, or for a backlog, which says
  // nothing about what it gains once that is over.
  GrowingRest rest_, backlog_rest_{kBacklogRestSeconds};
  WriteRelief relief_;
};

}  // namespace rocktune
