// HealthNotes: when a source's trouble is worth a line. A source that fails the same way at every
// poll is said once, its recovery once, and one that comes and goes at most once in 10 s.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/clock.h"

namespace rocktune::daemon {

class HealthNotes {
 public:
  // What to say now about `source`, whose reading ended with `error` (empty: it was read).
  std::optional<std::string> note(const std::string& source, const std::string& error,
                                  Nanoseconds now);
  void reset() { sources_.clear(); }

 private:
  struct State {
    std::string said;  // the error that was said last; empty: none, or its recovery was said
    std::optional<Nanoseconds> at;  // when an error was said last
    Nanoseconds failed{0};          // when there was one last
  };
  std::map<std::string, State> sources_;
};

}  // namespace rocktune::daemon
