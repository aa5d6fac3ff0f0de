#include "bench/replay_speed/day.h"

#include <utility>
#include <vector>

#include "bench/replay_speed/day_samples.h"
#include "policy/engine.h"
#include "sim/loop.h"
#include "trace/recorder.h"

namespace rocktune::bench {
namespace {

// Nothing of a day is deleted.
constexpr trace::Limits kDayLimits{Bytes{std::int64_t{1} << 40}, std::chrono::hours(24 * 365)};

// Calls `record` with each; the first error ends it.
template <class Rows, class Record>
Result<void> record_all(const Rows& rows, Record record) {
  for (const auto& row : rows) {
    if (auto done = record(row); !done) return done;
  }
  return {};
}

// What rocktuned does in advise mode at each poll, in its order.
class DayRecorder {
 public:
  DayRecorder(trace::Recorder recorder, Engine engine, std::int64_t target)
      : recorder_(std::move(recorder)), engine_(std::move(engine)), target_(target) {}

  Result<void> poll(const Sample& sample) {
    if (auto done = recorder_.begin_tick(); !done) return done;
    if (auto done = recorder_.add_sample(target_, sample); !done) return done;
    auto done = record_all(std::exchange(advised_, {}), [&](const Actuation& report) {
      engine_.report(report);
      return recorder_.add_actuation(target_, sample.sequence, report);
    });
    if (!done) return done;
    if (auto recorded = record_step(sample.sequence, engine_.step(sample)); !recorded) {
      return recorded;
    }
    return recorder_.commit();
  }

 private:
  Result<void> record_step(std::uint64_t sequence, const Step& step) {
    auto done = recorder_.add_indicators(target_, sequence, step.indicators);
    if (!done) return done;
    done = record_all(step.alerts, [&](const AlertChange& alert) {
      return recorder_.add_alert(target_, sequence, alert);
    });
    if (!done) return done;
    done = record_all(step.outcomes, [&](const Outcome& outcome) {
      return recorder_.add_outcome(target_, sequence, outcome);
    });
    if (!done) return done;
    return record_all(step.decisions, [&](const Decision& decision) {
      const std::int64_t value = decision.proposal.from;
      if (may_be_applied(decision.verdict))
        advised_.push_back({decision.id, "advised", "", value, value});
      return recorder_.add_decision(target_, sequence, decision);
    });
  }

  trace::Recorder recorder_;
  Engine engine_;
  std::int64_t target_;
  std::vector<Actuation> advised_;
};

Result<DayRecorder> start_recording(const std::string& path, const Sample& first) {
  auto recorder = trace::Recorder::create(path, {"0.1.0", "host", first.at.wall, sim::kPollSeconds},
                                          kDayLimits);
  if (!recorder) return tl::unexpected(recorder.error());
  trace::TargetInfo target{0, kDayTarget, "/data/busy", "advise", {}};
  auto engine = Engine::create(target.engine);
  if (!engine) return tl::unexpected(engine.error());
  const auto id = recorder->add_target(target);
  if (!id) return tl::unexpected(id.error());
  const auto opened = recorder->add_incarnation(
      *id, {first.incarnation, 4711, "busy-server", kDayRocksdbVersion, "0.1.0", "host", "host"});
  if (!opened) return tl::unexpected(opened.error());
  return DayRecorder(*std::move(recorder), *std::move(engine), *id);
}

}  // namespace

Result<void> write_day(const std::string& path, const DaySettings& settings,
                       const std::atomic<bool>& stop) {
  DaySamples samples(static_cast<std::size_t>(settings.families));
  Sample sample = samples.next();
  auto day = start_recording(path, sample);
  if (!day) return tl::unexpected(day.error());
  for (std::int64_t i = 1;; ++i) {
    if (auto done = day->poll(sample); !done) return done;
    if (i >= settings.samples) return {};
    if (stop) return fail(ErrorCode::kUnavailable, kStoppedMessage);
    sample = samples.next();
  }
}

}  // namespace rocktune::bench
