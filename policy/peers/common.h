// What the peers share. A peer is a tuner that others have published, as a policy: there to be
// compared with, at the pace it was published with (GuardScope::kHardLimits). Each has its source
// and its constants in its own file here; docs/control.md says where they depart from the original.
// None moves anything on what was not read. Pure; internal to policy/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/decision.h"
#include "model/features.h"
#include "model/knobs.h"
#include "model/objective.h"

namespace rocktune::peers {

// Why, and what is to come of it.
struct Turn {
  std::string_view rule;
  std::string reason;
  std::string_view feature;  // that is expected to fall, or to rise
  bool lower_is_better = true;
};

// Absent when there is no reading, or nothing to move.
std::optional<Proposal> turn(const Features& features, const KnobReading* reading, double to,
                             Turn why);

// How a peer's original serves who waits for the limiter, where that can be told: by the switches
// of the agent's own limiter, on which flushes never wait and level 0 goes before deeper
// compactions unless told otherwise. A host's limiter has none of them.
struct Service {
  bool limits_flushes = false;
  std::int64_t l0_weight = 1;  // 1: all compactions alike
  std::string_view rule;
};
// Adds what differs from it.
void serve_as(const Features& features, const Service& service, std::vector<Proposal>& out);

// A peer's own tick.
class Tick {
 public:
  explicit Tick(double seconds) : seconds_(seconds) {}
  // How many whole ticks have passed since it was last due; the first call only begins the count.
  int due(Nanoseconds now);
  [[nodiscard]] bool began() const { return last_.has_value(); }
  void reset() { last_.reset(); }

 private:
  double seconds_;
  std::optional<Nanoseconds> last_;
};

// What a peer sets beside its tick: at once, and what nobody makes no more often than it would
// tune.
class Settings {
 public:
  explicit Settings(double seconds) : seconds_(seconds) {}
  // Adds them to `out` where it is time.
  void ask(std::vector<Proposal> wanted, Nanoseconds now, std::vector<Proposal>& out);
  void reset() { last_.reset(); }

 private:
  double seconds_;
  std::optional<Nanoseconds> last_;
};

// The mean of a rate between two ticks, over the time in which it was read.
class MeanRate {
 public:
  void add(const Features& features, const Value& rate);
  // ...and begins anew; absent when it was read for less than `least_seconds`.
  Value take(double least_seconds);
  [[nodiscard]] double seconds() const { return seconds_; }  // that were read since
  void reset() { *this = MeanRate(); }

 private:
  double sum_ = 0, seconds_ = 0;
};

// What an operator would have configured as the largest rate of the limiter, bytes/s: `param` if it
// is given (above 0), else the limit as found, else what the device was probed to write, else 1
// GiB/s, more than compaction threads of one database were seen to produce.
double largest_rate(double param, const KnobReading& limiter, const Objective& objective);

// True until the limiter was moved for the first time: it still is what was found.
bool untouched(const KnobReading& reading);

}  // namespace rocktune::peers
