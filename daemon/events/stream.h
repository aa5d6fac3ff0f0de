// EventStream: the events of one database as the daemon follows them. Knows what was read, what is
// to be asked for, and hands out what goes into the trace and what the operator is told. Pure; not
// thread-safe.
//
// A new opening is read from its beginning, as far as the agent still has it: so a daemon learns
// what the agent did while no daemon was there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/events/notes.h"
#include "daemon/events/selection.h"
#include "wire/messages.h"

namespace rocktune::daemon {

class EventStream {
 public:
  // `all`: every event goes into the trace.
  explicit EventStream(bool all) : selection_(all) {}

  // An opening of the database, followed from this moment on; the same incarnation as before is
  // read on.
  void opened(const std::string& incarnation, Nanoseconds tick);
  // What the newest sample said; 0: this agent has no events.
  void seen(std::uint64_t next_event) { next_ = next_event; }
  // There is something to ask for: the events after this one.
  [[nodiscard]] std::optional<std::uint64_t> wanted() const;
  // The answer to that. What is not new in it is left alone.
  void take(const wire::Events& answer, const Instant& now);

  // For the trace, oldest first; `last`: nothing comes after it.
  std::vector<DatabaseEvent> to_record(bool last = false) { return selection_.take(last); }
  // For the alert log; call it at each poll. `last`: this opening has ended.
  std::vector<EventNote> to_say(Nanoseconds now, bool last = false);
  // Since when, and how, RocksDB has failed in the background; absent: it has not, or has
  // recovered.
  struct Failure {
    Nanoseconds wall{0};
    std::string message;  // "Flush, IO error: No space left on device"
  };
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  // Since the daemon's start, by kind; those of which only their number is known are "missed".
  [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  void add(DatabaseEvent event, std::uint64_t events);
  void note_failure(const DatabaseEvent& event);
  void miss(std::uint64_t number, const Instant& now);

  EventSelection selection_;
  EventNotes notes_;
  std::string incarnation_;
  Nanoseconds followed_since_{0};  // tick: a wall clock may be set back
  std::uint64_t read_ = 0;         // number of the last event that is known
  std::uint64_t next_ = 0;
  std::map<std::string, std::uint64_t> counts_;
  std::optional<Failure> failure_;
};

}  // namespace rocktune::daemon
