// Keeps a trace within its bounds: deletes the oldest samples, with what belongs to them, from
// keyframe to keyframe. One such slice per call, so that a tick stays short; SQLite uses the freed
// pages again. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/recorder.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

class Retention {
 public:
  Retention(Connection& connection, const Limits& limits)
      : connection_(connection), limits_(limits) {}

  // Call it within a transaction. Returns the target that needs a new keyframe before anything
  // more of it can be deleted.
  Result<std::optional<std::int64_t>> trim(Nanoseconds now_wall);
  [[nodiscard]] bool trimming() const { return trimming_; }

 private:
  struct Slice {
    std::int64_t target = 0;
    std::int64_t first_wall_ns = 0;
    std::optional<std::int64_t> end_sequence;  // the next keyframe's
  };
  Result<bool> too_big();
  Result<std::optional<Slice>> oldest();
  Result<void> remove(const Slice& slice);

  Connection& connection_;
  Limits limits_;
  bool trimming_ = false;
};

}  // namespace rocktune::trace
