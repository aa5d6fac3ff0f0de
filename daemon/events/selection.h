// EventSelection: which of a database's events go into the trace.
//
// A busy database flushes and compacts several times a second, which the samples' counters tell
// already, and each of the daemon's own changes is in the trace as an actuation. What is recorded
// is what nothing else tells: what the agent did by itself, errors, stalls. Not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "model/event.h"

namespace rocktune::daemon {

class EventSelection {
 public:
  // `all`: everything, without bounds.
  explicit EventSelection(bool all) : all_(all) {}

  void add(DatabaseEvent event);
  // What was selected since, oldest first. `last`: nothing comes after it.
  std::vector<DatabaseEvent> take(bool last = false);

 private:
  bool within_rate(Nanoseconds tick);
  void end_skipped();

  bool all_;
  std::vector<DatabaseEvent> selected_;
  double allowance_ = kMostInARow;
  std::optional<Nanoseconds> filled_at_;
  std::optional<DatabaseEvent> skipped_;  // those that were over the rate, since the last one kept

  static constexpr double kMostInARow = 8;
  static constexpr Nanoseconds kThenOneEvery = std::chrono::seconds(8);
};

}  // namespace rocktune::daemon
