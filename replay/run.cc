#include "replay/run.h"

#include <algorithm>
#include <utility>

#include "policy/engine.h"
#include "replay/agreement.h"
#include "replay/step_stream.h"
#include "trace/journal_json.h"

namespace rocktune::replay {
namespace {

using Lines = std::vector<std::string>;

template <class AnyStep>
void count(const AnyStep& step, JournalCounts& counts) {
  counts.alerts += step.alerts.size();
  counts.outcomes += step.outcomes.size();
  counts.decisions += step.decisions.size();
  for (const Decision& decision : step.decisions) {
    ++counts.verdicts[std::string(to_string(decision.verdict.kind))];
    ++counts.knobs[decision.proposal.knob];
  }
}

bool equal(const trace::RecordedStep& recorded, const Step& replayed) {
  return recorded.alerts == replayed.alerts && recorded.outcomes == replayed.outcomes &&
         recorded.decisions == replayed.decisions;
}

Difference difference(std::uint64_t sequence, const Lines& recorded, const Lines& replayed) {
  std::size_t i = 0;
  while (i < recorded.size() && i < replayed.size() && recorded[i] == replayed[i]) ++i;
  const auto at = [i](const Lines& lines) { return i < lines.size() ? lines[i] : std::string(); };
  return {sequence, at(recorded), at(replayed)};
}

// One target's way through one policy.
class TargetReplay {
 public:
  TargetReplay(const trace::RunInfo& run, trace::TargetInfo info, std::string called, Engine engine,
               bool as_recorded, const std::string& policy)
      : info_(std::move(info)), engine_(std::move(engine)) {
    result_.recorded_by = run;
    result_.id = info_.id;
    result_.target = std::move(called);
    result_.mode = info_.mode;
    result_.policy = policy;
    result_.as_recorded = as_recorded;
  }

  // Takes the sample, but for its time and number.
  void step(TargetStep& next, const std::function<void(const std::string&)>& line,
            const std::function<void(const ReplayedSample&)>& seen);
  [[nodiscard]] std::int64_t target() const { return info_.id; }
  [[nodiscard]] std::uint64_t samples() const { return result_.samples; }
  [[nodiscard]] ReplayResult finish() {
    result_.changes_live = agreement_.live();
    result_.changes_agreed = agreement_.agreed();
    return std::move(result_);
  }

 private:
  void report(const trace::RecordedStep& recorded);
  void compare(const trace::RecordedStep& recorded, const Step& replayed, const Lines& lines);

  trace::TargetInfo info_;
  Engine engine_;
  ReplayResult result_;
  Agreement agreement_{kAgreementWindow};
  std::vector<Actuation> only_said_;  // decisions of the last step that nobody carried out
};

void TargetReplay::report(const trace::RecordedStep& recorded) {
  if (result_.as_recorded) {
    for (const Actuation& actuation : recorded.reports_before) engine_.report(actuation);
    return;
  }
  for (const Actuation& actuation : only_said_) engine_.report(actuation);
  only_said_.clear();
}

void TargetReplay::step(TargetStep& next, const std::function<void(const std::string&)>& line,
                        const std::function<void(const ReplayedSample&)>& seen) {
  trace::RecordedStep& recorded = next.step;
  report(recorded);
  const Instant at = recorded.sample.at;
  if (result_.samples++ == 0) result_.first_sequence = recorded.sample.sequence;
  if (recorded.sample.database) ++result_.samples_with_database;
  Step replayed = engine_.step(std::move(recorded.sample), HistogramForm::kSincePrevious);
  const Lines lines = trace::step_lines(at.wall, info_.name, replayed, info_.mode);
  for (const std::string& one : lines) line(one);
  // Of these the trace has no rows: they follow from the steps, and are not compared.
  for (const GuardNote& note : replayed.notes) line(trace::guard_line(at.wall, info_.name, note));

  if (seen) {
    seen({next.target, info_, result_.target, at, recorded.sample.sequence, replayed.indicators,
          [&](IndicatorKind kind) { return engine_.drivers(kind, replayed.features); }});
  }

  count(replayed, result_.replayed);
  count(recorded, result_.recorded);
  for (const Decision& decision : replayed.decisions) {
    if (!may_be_applied(decision.verdict)) continue;
    agreement_.add_replayed(at.tick, decision.proposal);
    const std::int64_t value = decision.proposal.from;
    only_said_.push_back({decision.id, "advised", "", value, value});
  }
  for (const Decision& decision : recorded.decisions) {
    if (may_be_applied(decision.verdict)) agreement_.add_live(at.tick, decision.proposal);
  }
  if (result_.as_recorded) compare(recorded, replayed, lines);
  // Back to where their memory is used again.
  if (recorded.sample.database) {
    recorded.sample.database->column_families = std::move(replayed.features.column_families);
  }
}

void TargetReplay::compare(const trace::RecordedStep& recorded, const Step& replayed,
                           const Lines& lines) {
  if (equal(recorded, replayed)) return;
  if (result_.steps_that_differ++ != 0) return;
  result_.first_difference = difference(
      recorded.sample.sequence,
      trace::step_lines(recorded.sample.at.wall, info_.name, recorded, info_.mode), lines);
}

bool selected(const trace::TargetInfo& info, const std::string& called,
              const ReplayRequest& request) {
  if (request.extent && !request.extent->contains(info.id)) return false;
  return !request.target || info.name == *request.target || called == *request.target ||
         info.path == *request.target;
}

Result<TargetReplay> prepare(const trace::RunInfo& run, const trace::TargetInfo& info,
                             const std::string& called, const std::optional<PolicyChoice>& policy) {
  const EngineConfig config = policy ? engine_of(info.engine, *policy) : info.engine;
  const bool as_recorded = config == info.engine && !trace::is_imported(run);
  auto engine = Engine::create(config);
  if (!engine) return tl::unexpected(engine.error().within("target " + info.name));
  return TargetReplay(run, info, called, std::move(*engine), as_recorded,
                      policy ? policy->label : config.policy);
}

Result<std::vector<TargetReplay>> prepare_all(trace::Reader& reader, const ReplayRequest& request) {
  const auto targets = reader.infos();
  if (!targets) return tl::unexpected(targets.error());
  std::vector<TargetReplay> replays;
  std::string known;
  std::map<std::string, int> uses;
  for (const trace::TargetInfo& info : *targets) {
    const std::string called = trace::called_in_trace(info.name, ++uses[info.name]);
    known += (known.empty() ? "" : ", ") + called;
    if (!selected(info, called, request)) continue;
    auto replay = prepare(reader.run(), info, called, request.policy);
    if (!replay) return tl::unexpected(replay.error().within("trace " + request.trace));
    replays.push_back(std::move(*replay));
  }
  if (replays.empty() && request.target) {
    return fail(ErrorCode::kInvalidArgument, "trace " + request.trace + " has no target \"" +
                                                 *request.target + "\"; it has: " + known);
  }
  return replays;
}

}  // namespace

Result<std::vector<ReplayResult>> run(const ReplayRequest& request,
                                      const std::function<void(const std::string&)>& line,
                                      const std::function<void(const ReplayedSample&)>& seen) {
  auto reader = trace::Reader::open(request.trace);
  if (!reader) return tl::unexpected(reader.error());
  auto replays = prepare_all(*reader, request);
  if (!replays) return tl::unexpected(replays.error());
  std::vector<trace::Reader::Steps> targets;
  for (const TargetReplay& target : *replays) {
    auto steps = reader->steps(target.target(), HistogramForm::kSincePrevious);
    if (!steps) return tl::unexpected(steps.error());
    targets.push_back(*std::move(steps));
  }
  StepStream stream(std::move(targets));
  while (true) {
    const auto next = stream.next();
    if (!next) return tl::unexpected(next.error());
    if (*next == nullptr) break;
    TargetReplay& replay = (*replays)[(*next)->target];
    if (request.extent && replay.samples() >= request.extent->at(replay.target())) continue;
    replay.step(**next, line, seen);
  }
  std::vector<ReplayResult> results;
  for (TargetReplay& target : *replays) results.push_back(target.finish());
  return results;
}

}  // namespace rocktune::replay
