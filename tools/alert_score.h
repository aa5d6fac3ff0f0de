// What an alert log alone tells of its warnings (rocktune alerts --score). Pure.
//
// An alert's clearing line has all that is judged: when it was raised, whether the event came while
// it stood, and the lead. Every event that rocktuned sees raises an alert at the latest when it
// comes (lead 0), so the log also tells of the events that were not warned of. It does not tell of
// a second event while the same alert stands, of events that rocktuned could not see, and of what
// other thresholds would have done: `rocktune score` reads those from a trace.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/clock.h"
#include "tools/control.h"

namespace rocktune::tools {

// What became of an alert, by the rules of docs/score.md.
enum class AlertFate {
  kTrue,      // the event came 2 s to the horizon after it
  kLate,      // ...less than 2 s after it: false, and the event was missed
  kEarly,     // ...after its horizon: likewise
  kNoEvent,   // no event came: false
  kUnwarned,  // raised by the event itself: a missed event, no false alarm
  kUnknown,   // no verdict: closed, or out of sight before an event came
};
inline constexpr std::size_t kAlertFates = 6;

// Of one alert-log line of kind alert that says "ok"; the others say nothing yet.
AlertFate alert_fate(const Json& clearing);

struct AlertTotals {
  std::array<std::uint64_t, kAlertFates> fates{};  // by AlertFate
  std::uint64_t open = 0;                          // raised in this log and not cleared in it
  std::vector<double> leads;                       // s, of the true ones

  [[nodiscard]] std::uint64_t count(AlertFate fate) const;
  [[nodiscard]] std::uint64_t false_alarms() const;
  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] std::optional<double> precision() const;
  [[nodiscard]] std::optional<double> recall(double lead) const;
};

class AlertScorer {
 public:
  // Lines in the log's order; what is no alert-log line is counted and left out.
  void add(std::string_view line);

  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
  [[nodiscard]] bool all_malformed() const { return malformed_ > 0 && !last_; }
  // From the first to the last line, without the times between a "stopped" and the next line.
  [[nodiscard]] double days() const;
  // By indicator, all databases together; valid after the last line.
  [[nodiscard]] std::map<std::string, AlertTotals> totals() const;
  [[nodiscard]] std::vector<std::string> lines() const;
  [[nodiscard]] Json json() const;

 private:
  struct Ended {
    AlertFate fate = AlertFate::kUnknown;
    std::optional<double> lead;  // of a true one
  };
  void note_time(const Json& line);
  void note_alert(const Json& line);
  void take_back(const std::string& indicator, const std::string& key);

  std::map<std::string, AlertTotals> totals_;
  std::map<std::string, std::set<std::string>> open_;  // by indicator: target and id
  // Likewise, what has ended: an alert that goes on once its database is seen again is judged by
  // its last end alone.
  std::map<std::string, std::map<std::string, Ended>> ended_;
  std::set<std::string> targets_;
  std::optional<Nanoseconds> last_;
  Nanoseconds watched_{0};
  bool stopped_ = false;
  std::uint64_t malformed_ = 0;
};

}  // namespace rocktune::tools
