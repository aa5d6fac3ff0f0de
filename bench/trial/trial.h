// One measured run: a fresh copy of a loaded database, `rocktune-bench run` on it as a child, and
// where asked for a real rocktuned beside it.
//
// Whatever happens - the run ends, fails, or Ctrl-C is pressed - the copy, the emulated device's
// files, the sockets and both processes are gone afterwards. What was measured and the logs stay.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/daemon.h"
#include "bench/trial/subject.h"
#include "bench/trial/watch.h"
#include "model/result.h"

namespace rocktune::bench {

struct TrialPlan {
  TrialSubject subject;
  std::string loaded;  // as loaded_database() gives it
  // Where its files go: run.json, run.log, and the daemon's (see daemon.h). Must not exist.
  std::string directory;
  std::optional<DaemonSettings> daemon;
  // Instead of the subject's run: the command line of a child that works on `database`, writes a
  // result like a run's and shows its progress as JSON on stdout. Empty: the subject's.
  std::function<std::vector<std::string>(const std::string& database, const std::string& result)>
      command = {};
};

struct TrialOutcome {
  nlohmann::json run;       // as `rocktune-bench run` wrote it; null when nothing was measured yet
  bool partial = false;     // Ctrl-C came before its end
  std::string first_phase;  // when that began, RFC 3339 with milliseconds; empty: it did not
  std::optional<DaemonUse> daemon;  // what it did until its end; nothing when there was none
};

Result<TrialOutcome> run_trial(const TrialPlan& plan, const Watcher& watcher);

}  // namespace rocktune::bench
