// A rocktuned beside a run: its configuration, start, end, and what it cost and did.
//
// Its files lie in the directory that it is given: rocktuned.yaml, rocktuned.log, rocktuned.stderr,
// alerts.jsonl, trace/. Start it from the main thread only (see child.h).
#pragma once

#include <cstdint>
#include <string>

#include "bench/trial/child.h"
#include "model/result.h"

namespace rocktune::bench {

struct DaemonSettings {
  std::string mode = "act";
  // YAML, whole sections: `defaults:`, `targets:`, `lease:`. The sections daemon, log, alert_log,
  // trace and http are the trial's own.
  std::string sections;
};

struct DaemonUse {
  double cpu_seconds = 0;    // user and system, its start included
  std::int64_t changes = 0;  // that it applied to a database
};

class Daemon {
 public:
  // Returns once it listens, or when a stop was requested. `sockets`: the directory in which agents
  // and the daemon itself put theirs.
  static Result<Daemon> start(const DaemonSettings& settings, const std::string& directory,
                              const std::string& sockets);
  // Ends it. An Error when it had ended before.
  Result<DaemonUse> stop();

 private:
  Daemon(Child child, std::string directory)
      : child_(std::move(child)), directory_(std::move(directory)) {}
  Result<void> wait_until_up(const std::string& socket);
  [[nodiscard]] std::string last_words() const;
  Child child_;
  std::string directory_;
};

// Actuations in an alert log (docs/alerts.md) that changed something.
std::int64_t count_changes(const std::string& alert_log_text);

}  // namespace rocktune::bench
