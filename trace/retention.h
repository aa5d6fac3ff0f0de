// Keeps a trace within its bounds: deletes the oldest samples, with what belongs to them, from
// keyframe to keyframe. One such slice per call (of a poll there is one), so that a tick stays
// short; SQLite uses the freed pages again. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/recorder.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

class Retention {
 public:
  Retention(Connection& connection, const Limits& limits)
      : connection_(connection), limits_(limits) {}

  // Which targets have a row, and whether they go on: of one that does not, all samples may go.
  using Targets = std::map<std::int64_t, bool>;
  // Call it within a transaction. False: the file is too big, but nothing can be deleted before
  // there are new keyframes. Takes those whose row was deleted, too, out of `targets`.
  Result<bool> trim(Nanoseconds now_tick, Targets& targets);
  void set_limits(const Limits& limits) { limits_ = limits; }
  [[nodiscard]] bool trimming() const { return trimming_; }

 private:
  // A target's oldest samples, up to its next keyframe or to its last sample.
  struct Slice {
    std::int64_t target = 0;
    std::int64_t end_sequence = 0;  // the first one that stays
    bool ends_with_keyframe = false;
    Nanoseconds end_tick{0};
  };
  Result<bool> too_big();
  Result<std::vector<Slice>> oldest_slices();
  Result<void> remove(const Slice& slice);
  Result<bool> remove_ended(Targets& targets);

  Connection& connection_;
  Limits limits_;
  // Where the oldest slice ended when nothing was too old: ends only move on, so that nothing is
  // too old before this is, and nobody need look at every target.
  std::optional<Nanoseconds> oldest_end_;
  bool trimming_ = false;
};

}  // namespace rocktune::trace
