// What a run shows while it runs: on a terminal one line that is rewritten every second, elsewhere
// one line per five seconds, or one JSON object per second for another program.
#pragma once

#include <map>
#include <string>

#include "bench/run/session.h"
#include "model/result.h"

namespace rocktune::bench {

enum class ProgressMode { kTerminal, kLines, kJson, kNone };

// "auto" (a terminal or not), "lines", "json" or "none".
Result<ProgressMode> parse_progress(const std::string& name);

// "steady  12s  3012 ops/s  read p99 0.21 ms  update p99 1.20 ms  L0 4  pending 12.3 MiB ..."
std::string progress_text(const scenario::Phase& phase, const Interval& second);

// Human-readable progress goes to stderr; JSON goes to stdout. Where a scenario has several
// databases, each has lines of its own.
class Progress : public SessionWatcher {
 public:
  explicit Progress(ProgressMode mode) : mode_(mode) {}
  void loading(const scenario::ScenarioDatabase& database, std::int64_t records,
               bool settling) override;
  void loaded() override { finish(); }
  void second(const scenario::ScenarioDatabase& database, const scenario::Phase& phase,
              const Interval& second) override;
  void note(const std::string& text) override;
  void finish();  // ends a line that was being rewritten

 private:
  void show(const std::string& database, const std::string& line, double at_seconds);
  ProgressMode mode_;
  bool line_open_ = false;
  std::string last_shown_;                      // the database of the line being rewritten
  std::map<std::string, double> next_line_at_;  // by database
};

}  // namespace rocktune::bench
