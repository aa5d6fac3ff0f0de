// What is seen of reads beside compactions that fill the device: whether these do, for how long of
// late, and how long reads that are near their SLO have been slow beside them, and while the device
// had room. Deferral and Smoothing act by it; by what is seen beside the work of others, whose
// compactions are not seen here, these smooth theirs (policy/device_smoothing.h). docs/control.md,
// "The limiter". Pure; bounded; internal to policy/.
#pragma once

#include <optional>

#include "model/trend.h"
#include "policy/gaps.h"
#include "policy/situation.h"

namespace rocktune {

class FullDevice {
 public:
  enum class Work { kOwn, kOthers };
  explicit FullDevice(Work work = Work::kOwn) : work_(work) {}

  // Call once per sample. `limited`: something was done for it, and what is seen is what is left.
  void observe(const Situation& situation, bool limited);

  // Compactions have run most of the time, and the indicator of the device warns.
  [[nodiscard]] bool fills() const { return fills_; }
  // ...and reads were near their SLO beside them between the last two looks, and have been for so
  // long; 0 where they were not.
  [[nodiscard]] double slow_seconds() const { return slow_beside_ ? slow_seconds_ : 0; }
  // Their P99 in such looks, of 4 s.
  [[nodiscard]] double slow_p99_us() const;
  // It has been full for less than half of the last ten minutes, ten seconds of which are known.
  [[nodiscard]] bool is_new() const;
  // The most that was written in these minutes while nothing was limited, bytes/s.
  [[nodiscard]] double most_written() const;

 private:
  void look_back(const Situation& situation, bool limited);
  void time_slow_reads(const Situation& situation, bool slow);
  [[nodiscard]] bool is_full(const Situation& situation) const;
  [[nodiscard]] Value running(const Situation& situation) const;

  Work work_;
  Trend compacts_{Trend::Jumps::kKeep, 0, 10};
  // Of the last 10 minutes, every other second: 1 where compactions filled the device, or 0; the
  // P99 of reads while it had room; and what was written, bytes/s.
  Trend filled_{Trend::Jumps::kKeep, 0, 600}, free_p99_us_{Trend::Jumps::kKeep, 0, 600};
  Trend written_{Trend::Jumps::kKeep, 0, 600};
  std::optional<Nanoseconds> looked_back_;
  bool fills_ = false;
  bool ran_ = false;  // some did at the last look
  bool slow_beside_ = false;
  Trend slow_p99_us_{Trend::Jumps::kKeep, 0, 10};  // of reads in such looks
  Gaps gaps_;
  double slow_seconds_ = 0;
};

}  // namespace rocktune
