// Follows a child `rocktune-bench` with `--progress json` to its end, or ends it when Ctrl-C was
// pressed: it then still writes what it has measured.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/trial/child.h"
#include "model/result.h"

namespace rocktune::bench {

// What its starter may want to show. Either may be empty.
struct Watcher {
  std::function<void(const nlohmann::json& event)> event;  // "loading", "second"
  std::function<void()> tick;                              // some five times a second
};

enum class Watched { kEnded, kStopped };

// An Error when the child fails: `what` and its log's end say why. kUnavailable where it may well
// go better the next time: somebody stopped it, or a signal ended it; else kIo.
Result<Watched> watch_child(Child& child, const std::string& what, const std::string& log,
                            const Watcher& watcher);

// "failed with exit code 1", "was stopped", "was killed by signal 9 (SIGKILL)".
std::string how_it_ended(int exit_code);
// The code of an Error that says so, as watch_child() has it.
ErrorCode ended_code(int exit_code);

// The end of a log file, for messages: "no log" when there is none.
std::string log_end(const std::string& log);

}  // namespace rocktune::bench
