// What is told of a replay beside its decisions: what its alarms were worth, by the rules of
// `rocktune score`, and the indicators as they moved. Streams; see score/alert_run.h for what is
// kept.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/run.h"
#include "score/alert_run.h"

namespace rocktune::tools {

// One policy over one target.
struct ScoredReplay {
  replay::ReplayResult replay;
  std::optional<score::AlertTallies> alarms = std::nullopt;  // absent: too long to be scored
};

class ReplayScorer {
 public:
  void add(const replay::ReplayedSample& sample);
  // At the end, once: the results with what their alarms were worth.
  std::vector<ScoredReplay> finish(std::vector<replay::ReplayResult> results);

 private:
  std::map<std::size_t, score::AlertRun> runs_;  // by the target's place
};

// Each target's indicators every so many seconds of the trace (0: at each sample), as a line for
// people or three of JSON.
class IndicatorPrinter {
 public:
  using Print = std::function<void(const std::string&)>;
  IndicatorPrinter(double every_seconds, bool json, Print print)
      : every_seconds_(every_seconds), json_(json), print_(std::move(print)) {}

  void add(const replay::ReplayedSample& sample);

 private:
  double every_seconds_;
  bool json_;
  Print print_;
  struct Progress {
    Nanoseconds first{0};
    double told = -1;  // how many times the interval had passed at the last one
  };
  std::map<std::size_t, Progress> progress_;  // by the target's place
};

// "2026-01-31 12:00:00.500  orders  p99 0.02  compaction_backlog 0.87 warning, l0, in 12.0 s  ...".
std::string indicators_text(const replay::ReplayedSample& sample);

}  // namespace rocktune::tools
