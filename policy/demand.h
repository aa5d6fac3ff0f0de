// Demand: what one database wants of what it shares with others, from its own features. One meter
// for each database, fed with every step of its engine; policy/sharing.h divides by what they say.
//
// Absent means that nothing tells. Rates are bytes/s, memory bytes. Pure; deterministic; bounded;
// not thread-safe.
#pragma once

#include <optional>

#include "policy/full_device.h"
#include "policy/learnt_wish.h"
#include "policy/memory.h"
#include "policy/need_peak.h"
#include "policy/situation.h"

namespace rocktune {

struct Demand {
  // Background writing
  Value need;  // the most that user writes cost of late, draining included (policy/need_peak.h)
  Value background;       // what is written, mean of 5 s
  Value background_peak;  // ...largest of 60 s
  Value background_mean;  // ...mean of 60 s
  Value
      background_most;  // ...largest mean of 5 s within 60 s: of flushes single samples say nothing

  // Who suffers
  bool trouble = false;      // its own backlog: writes wait, or will (not by a forecast alone)
  bool wants_rate = false;   // the same, or so lately that it may come again
  bool reads_hurt = false;   // reads above their SLO for 10 s, without a backlog of its own
  bool device_busy = false;  // half of the device's limits of queue or await, over 5 s
  bool reads = false;        // it was read from within the last 60 s
  // Reads come first and are near their SLO on a device that has come to be full, without a backlog
  // of its own, for so long; and they are far from it, or nobody reads, or they do not come first.
  double reads_wait_seconds = 0;
  bool reads_are_far = true;

  // Jobs
  Value jobs_used;          // the fewest max_background_jobs that the largest use of 60 s fits in
  bool wants_jobs = false;  // all slots in use in trouble, or so lately that it may come again

  // Memory
  Value cache_used;          // bytes in the block cache
  bool wants_cache = false;  // full and missed, within the last 60 s
};

class DemandMeter {
 public:
  // Once for each step. One that was not read leaves all as it is, but for who suffers after 10 s.
  // A reopened database begins anew.
  const Demand& update(const PolicyInput& input);
  [[nodiscard]] const Demand& demand() const { return demand_; }

 private:
  void measure_background(const Features& features, double charged);
  void measure_backlog(const Situation& situation);
  void measure_jobs(const Features& features, const Situation& situation);
  void measure_cache(const Features& features, const Situation& situation);
  void measure_reads(const Situation& situation);

  // A wish that has passed is remembered for this long, so that slices do not follow every breath.
  static constexpr double kWishSeconds = 60;
  static Trend window(double seconds) { return Trend(Trend::Jumps::kKeep, 0, seconds); }
  Observer observer_;
  Trend background_ = window(60), background_means_ = window(60), compactions_ = window(60),
        flushes_ = window(60);
  NeedPeak need_peak_;
  FullDevice full_{FullDevice::Work::kOthers};
  LearntWish rate_wish_{kWishSeconds}, jobs_wish_{kWishSeconds};
  std::optional<Nanoseconds> wanted_cache_, read_at_;
  Demand demand_;
};

}  // namespace rocktune
