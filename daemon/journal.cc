#include "daemon/journal.h"

#include <filesystem>
#include <utility>

#include "daemon/trace_directory.h"
#include "model/text.h"
#include "trace/journal_json.h"

namespace rocktune::daemon {
namespace {

std::string in_log(std::string_view target, std::string_view message) {
  return (target.empty() ? std::string() : std::string(target) + ": ") + std::string(message);
}

// " (at 07:34:09.630Z)" of what is told later than it happened: a log's line has the time at which
// it is told. Empty within a second, as long as the default poll and what it asks for may take.
std::string happened_text(Nanoseconds happened, Nanoseconds now) {
  constexpr Nanoseconds kAtOnce = std::chrono::seconds(1);
  if (now - happened <= kAtOnce) return "";
  constexpr std::size_t kDateLength = 11;  // with the T
  const std::string time = text::rfc3339(happened);
  const bool today = text::rfc3339(now).starts_with(time.substr(0, kDateLength));
  return " (at " + (today ? time.substr(kDateLength) : time) + ")";
}

}  // namespace

void Journal::line(std::string_view json) {
  const Result<void> written = alerts_.write(json);
  if (written) return tell_of_lost();
  const Instant now = clock_();
  if (!lost_) lost_ = LostLines{now.wall, 0, ""};
  ++lost_->lines;
  ++alert_failures_;
  lost_->why = written.error().message;
  if (complaints_.pass(now.tick)) log_.error(written.error().message);
}

void Journal::open_alerts(const std::string& file) {
  const std::string directory = std::filesystem::path(file).parent_path().string();
  const Result<void> made = ensure_directory(directory, "the alert log", log_);
  const Result<void> opened = made ? alerts_.open(file) : made;
  wanted_ = file;
  const std::optional<LostLines> before = std::exchange(unopened_, std::nullopt);
  if (opened) {
    if (!before) return;
    return event("", 0, "daemon", "reopened",
                 "the alert log is opened again; what came since " +
                     text::rfc3339(before->since_wall) +
                     " is in the file that was open before: " + before->why);
  }
  const Instant now = clock_();
  unopened_ = LostLines{before ? before->since_wall : now.wall, 0, opened.error().message};
  ++alert_failures_;
  if (complaints_.pass(now.tick) || !before) log_.error(unopened_->why);
}

void Journal::retry() {
  if (unopened_) open_alerts(wanted_);
  tell_of_lost();
}

void Journal::tell_of_lost() {
  if (!lost_) return;
  const std::string message = "the alert log is written again; " + std::to_string(lost_->lines) +
                              (lost_->lines == 1 ? " line was" : " lines were") + " lost since " +
                              text::rfc3339(lost_->since_wall) + ": " + lost_->why;
  if (!alerts_.write(trace::event_line(clock_().wall, "", "daemon", "lost", message))) return;
  log_.warn(message);
  lost_.reset();
}

void Journal::event(std::string_view target, std::int64_t trace_target, std::string_view kind,
                    std::string_view id, std::string_view message,
                    std::optional<Nanoseconds> happened) {
  const Nanoseconds wall = happened.value_or(clock_().wall);
  log_.info(in_log(target, message) + happened_text(wall, clock_().wall));
  keep(trace_target, kind, trace::event_line(wall, target, kind, id, message));
}

void Journal::trouble(std::string_view target, std::int64_t trace_target, std::string_view kind,
                      std::string_view id, std::string_view message) {
  log_.warn(in_log(target, message));
  keep(trace_target, kind, trace::event_line(clock_().wall, target, kind, id, message));
}

void Journal::order(std::string_view target, std::int64_t trace_target, std::string_view message,
                    std::string_view decision) {
  constexpr std::string_view kManual = "manual";
  log_.info(in_log(target, message));
  keep(trace_target, kManual,
       trace::event_line(clock_().wall, target, kManual, "operator", message, decision));
}

void Journal::keep(std::int64_t trace_target, std::string_view kind, const std::string& json) {
  line(json);
  TraceWriter::Step step(trace_);
  step.add([&](trace::Recorder& recorder) {
    // A trace that has begun since its last sample has no such target: the line has its name.
    const bool known = recorder.has(trace_target);
    return recorder.add_event(known ? std::optional(trace_target) : std::nullopt, clock_(),
                              std::string(kind), json);
  });
  step.commit();
}

}  // namespace rocktune::daemon
