// Recorder: writes a trace while the daemon runs.
//
// All rows of one tick are one transaction (begin_tick .. commit): after kill -9 the file opens
// cleanly and lacks at most the tick that was being written. A failing disk never stops the daemon:
// calls return the error, the rows of that tick are lost, the next tick tries again. Bounded by
// size and age: when the file outgrows `max_bytes` the oldest tenth of the samples is deleted and
// its pages are used again. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/decision.h"
#include "model/event.h"
#include "model/indicators.h"
#include "model/result.h"
#include "trace/schema.h"

namespace rocktune::trace {

struct Limits {
  Bytes max_bytes = 1_GiB;
  std::chrono::seconds max_age = std::chrono::hours(24 * 14);
};

class Recorder {
 public:
  // Fails when the file exists already, or cannot be made. Ids of targets begin with
  // `first_target`.
  static Result<Recorder> create(const std::string& path, const RunInfo& run, const Limits& limits,
                                 std::int64_t first_target = 1);
  // Commits, checkpoints the WAL and closes. The file is whole then, also where somebody has moved
  // it away; what is at its path instead stays as it is.
  ~Recorder();
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;

  void set_limits(const Limits& limits);  // from the next look at the file's size on

  Result<void> begin_tick();
  Result<std::int64_t> add_target(const TargetInfo& target);  // returns its id
  // What is remembered of its last sample is forgotten: it has been closed, and may never come
  // back. Its next sample, if there is one, is a keyframe. Where room is wanted all of it may go;
  // has() is false then, and what comes back is to be added anew.
  void forget(std::int64_t target);
  [[nodiscard]] bool has(std::int64_t target) const;
  // Once more with what was learnt of it since: its options.
  Result<void> add_incarnation(std::int64_t target, const IncarnationInfo& incarnation);
  Result<void> add_sample(std::int64_t target, const Sample& sample);
  Result<void> add_indicators(std::int64_t target, std::uint64_t sequence,
                              const std::vector<Indicator>& indicators);
  Result<void> add_alert(std::int64_t target, std::uint64_t sequence, const AlertChange& alert);
  Result<void> add_decision(std::int64_t target, std::uint64_t sequence, const Decision& decision);
  // `sequence` is that of the sample BEFORE whose step the report reached the engine.
  Result<void> add_actuation(std::int64_t target, std::uint64_t sequence,
                             const Actuation& actuation);
  Result<void> add_outcome(std::int64_t target, std::uint64_t sequence, const Outcome& outcome);
  // `sequence` is that of the sample in whose tick it is recorded. An incarnation's numbers rise.
  Result<void> add_database_event(std::int64_t target, std::uint64_t sequence,
                                  const DatabaseEvent& event);
  // Whatever else belongs to the story: source lost, daemon started, manual override, ... as one
  // JSON object.
  Result<void> add_event(std::optional<std::int64_t> target, Instant at, const std::string& kind,
                         const std::string& json);
  Result<void> commit();

  // Whether the file has outgrown Limits::max_bytes, so that its oldest samples go.
  [[nodiscard]] bool outgrown() const;
  // When the oldest sample that is left was taken, of whichever target; absent: there is none.
  [[nodiscard]] std::optional<Nanoseconds> reaches_back_to() const;  // Unix time
  [[nodiscard]] const std::string& path() const;
  // False: somebody has moved the file away, or removed it.
  [[nodiscard]] bool is_in_place() const;
  [[nodiscard]] std::int64_t next_target() const;  // the id of the next one that is added

 private:
  struct State;
  static Result<std::unique_ptr<State>> start(const std::string& path, const RunInfo& run,
                                              const Limits& limits);
  explicit Recorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rocktune::trace
