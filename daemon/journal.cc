#include "daemon/journal.h"

#include "trace/journal_json.h"

namespace rocktune::daemon {

void Journal::line(std::string_view json) {
  const Result<void> written = alerts_.write(json);
  if (written) return;
  if (complaints_.pass(clock_().tick)) log_.error(written.error().message);
}

void Journal::event(std::string_view target, std::int64_t trace_target, std::string_view kind,
                    std::string_view id, std::string_view message,
                    std::optional<Nanoseconds> happened) {
  const Instant now = clock_();
  const std::string json =
      trace::event_line(happened.value_or(now.wall), target, kind, id, message);
  line(json);
  log_.info((target.empty() ? std::string() : std::string(target) + ": ") + std::string(message));
  TraceWriter::Step step(trace_);
  step.add([&](trace::Recorder& recorder) {
    return recorder.add_event(trace_target == 0 ? std::nullopt : std::optional(trace_target), now,
                              std::string(kind), json);
  });
  step.commit();
}

}  // namespace rocktune::daemon
