// Journal: where everything that happened goes, the alert log and the trace. Nothing here ever
// fails its caller; what could not be written is counted and said in the log, at a limited rate,
// and in the alert log once that can be written again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/alert_log.h"
#include "daemon/log.h"
#include "daemon/trace_writer.h"

namespace rocktune::daemon {

class Journal {
 public:
  Journal(AlertLog& alerts, TraceWriter& trace, Log& log, Clock clock)
      : alerts_(alerts), trace_(trace), log_(log), clock_(std::move(clock)) {}

  // One line of the alert log, made by trace/journal_json.h.
  void line(std::string_view json);

  // A line of kind "manual", "source", "event" or "daemon": to the alert log, the trace and the
  // log. `trace_target` is the recorder's id, 0 for none; `happened`: when it was, if not now,
  // which the log then says.
  void event(std::string_view target, std::int64_t trace_target, std::string_view kind,
             std::string_view id, std::string_view message,
             std::optional<Nanoseconds> happened = std::nullopt);
  // The same, and a warning in the log: only the operator can mend it.
  void trouble(std::string_view target, std::int64_t trace_target, std::string_view kind,
               std::string_view id, std::string_view message);
  // An operator's order, of kind "manual"; `decision`: that it took back, empty: none.
  void order(std::string_view target, std::int64_t trace_target, std::string_view message,
             std::string_view decision);

  [[nodiscard]] TraceWriter& trace() { return trace_; }
  [[nodiscard]] Log& log() { return log_; }
  // Opens the alert log, anew after a rotation. Where that fails lines go on to the file that is
  // open, and each poll tries again.
  void open_alerts(const std::string& file);
  [[nodiscard]] const std::string& alert_file() const { return alerts_.file(); }
  [[nodiscard]] std::uint64_t alert_failures() const { return alert_failures_; }
  // Of the alert log, up to the last one; unset: it is open and can be written.
  [[nodiscard]] const std::optional<LostLines>& failing() const {
    return lost_ ? lost_ : unopened_;
  }
  // At each poll: whether the alert log can be opened and written again.
  void retry();
  [[nodiscard]] Instant now() const { return clock_(); }

 private:
  // In the alert log as soon as that can be written, so that whoever looks for a decision there
  // learns why it has none.
  void tell_of_lost();
  void keep(std::int64_t trace_target, std::string_view kind, const std::string& json);

  AlertLog& alerts_;
  TraceWriter& trace_;
  Log& log_;
  Clock clock_;
  std::optional<LostLines> lost_;
  std::optional<LostLines> unopened_;  // since it could not be opened; none of them is lost
  std::string wanted_;                 // what is to be opened then
  std::uint64_t alert_failures_ = 0;
  Limited complaints_{std::chrono::seconds(60)};
};

}  // namespace rocktune::daemon
