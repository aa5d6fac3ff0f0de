// EventNotes: which of a database's events the operator is told of, in the alert log.
//
// What the agent returned by itself, in one line for all knobs that were returned together; errors
// and recoveries of RocksDB; and how writes were delayed or stopped since this daemon follows the
// database, as a summary: at most one line a minute, and a last one at the end. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"

namespace rocktune::daemon {

// "" where the event has none.
std::string word(const DatabaseEvent& event, const char* name);

struct EventNote {
  std::string id;  // the event's kind
  std::string message;
  Nanoseconds wall{0};  // when it happened
};

class EventNotes {
 public:
  // `before_us`: of the time before this daemon followed the database.
  void add(const DatabaseEvent& event, bool before_us);
  // What to say now. `caught_up`: nothing more is known to wait in the agent. `last`: nothing more
  // will be, and everything is said.
  std::vector<EventNote> take(bool caught_up, Nanoseconds now, bool last = false);

 private:
  struct Returns {
    std::vector<std::string> knobs;
    std::uint64_t more = 0;
    bool failed = false;
    Nanoseconds wall{0};
  };
  struct Stalls {
    std::uint64_t changes = 0;
    std::string last;  // the newest one in words
    std::int64_t longest_us = 0;
    Nanoseconds since_wall{0}, last_wall{0};
  };
  void add_change(const DatabaseEvent& event, bool before_us);
  void add_stall(const DatabaseEvent& event);
  void add_error(const DatabaseEvent& event);
  void take_returns(std::vector<EventNote>& notes);
  void take_errors(std::vector<EventNote>& notes, Nanoseconds now);
  void take_stalls(std::vector<EventNote>& notes, Nanoseconds now);

  std::map<std::string, Returns> returns_;  // by why
  std::optional<Stalls> stalls_;
  std::optional<Nanoseconds> stalls_said_;
  std::optional<EventNote> error_;  // the first one since the last line
  std::uint64_t more_errors_ = 0;
  std::optional<Nanoseconds> error_said_;
};

}  // namespace rocktune::daemon
