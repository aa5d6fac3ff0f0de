#include "tools/replay_run.h"

#include <algorithm>

#include "policy/engine.h"
#include "tools/agreement.h"
#include "trace/journal_json.h"

namespace rocktune::tools {
namespace {

using Lines = std::vector<std::string>;

bool may_be_applied(const Decision& decision) {
  return decision.verdict.kind == VerdictKind::kAllowed ||
         decision.verdict.kind == VerdictKind::kClamped;
}

// In the order in which the daemon writes them.
template <class AnyStep>
Lines journal(const AnyStep& step, Nanoseconds wall, const trace::TargetInfo& target) {
  Lines lines;
  for (const auto& alert : step.alerts) {
    lines.push_back(trace::alert_line(wall, target.name, alert));
  }
  for (const auto& outcome : step.outcomes) {
    lines.push_back(trace::outcome_line(wall, target.name, outcome));
  }
  for (const auto& decision : step.decisions) {
    lines.push_back(trace::decision_line(wall, target.name, decision, target.mode));
  }
  return lines;
}

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
  TargetReplay(trace::TargetInfo info, trace::Reader::Steps steps, Engine engine, bool as_recorded,
               const std::string& policy)
      : info_(std::move(info)), steps_(std::move(steps)), engine_(std::move(engine)) {
    result_.target = info_.name;
    result_.mode = info_.mode;
    result_.policy = policy;
    result_.as_recorded = as_recorded;
  }

  Result<void> fetch() {
    auto next = steps_.next();
    if (!next) return tl::unexpected(next.error());
    pending_ = std::move(*next);
    return {};
  }
  [[nodiscard]] bool ended() const { return !pending_; }
  [[nodiscard]] Nanoseconds tick() const { return pending_->sample.at.tick; }

  void step(const std::function<void(const std::string&)>& line);
  [[nodiscard]] ReplayResult finish() {
    result_.changes_live = agreement_.live();
    result_.changes_agreed = agreement_.agreed();
    return std::move(result_);
  }

 private:
  void report();
  void compare(const Step& replayed, const Lines& lines);

  trace::TargetInfo info_;
  trace::Reader::Steps steps_;
  Engine engine_;
  ReplayResult result_;
  Agreement agreement_{kAgreementWindow};
  std::optional<trace::RecordedStep> pending_;
  std::vector<Actuation> only_said_;  // decisions of the last step that nobody carried out
};

void TargetReplay::report() {
  if (result_.as_recorded) {
    for (const Actuation& actuation : pending_->reports_before) engine_.report(actuation);
    return;
  }
  for (const Actuation& actuation : only_said_) engine_.report(actuation);
  only_said_.clear();
}

void TargetReplay::step(const std::function<void(const std::string&)>& line) {
  report();
  const Sample& sample = pending_->sample;
  const Step replayed = engine_.step(sample);
  const Lines lines = journal(replayed, sample.at.wall, info_);
  for (const std::string& one : lines) line(one);
  // Of these the trace has no rows: they follow from the steps, and are not compared.
  for (const GuardNote& note : replayed.notes) {
    line(trace::guard_line(sample.at.wall, info_.name, note));
  }

  if (result_.samples++ == 0) result_.first_sequence = sample.sequence;
  if (sample.database) ++result_.samples_with_database;
  count(replayed, result_.replayed);
  count(*pending_, result_.recorded);
  for (const Decision& decision : replayed.decisions) {
    if (!may_be_applied(decision)) continue;
    agreement_.add_replayed(sample.at.tick, decision.proposal);
    const std::int64_t value = decision.proposal.from;
    only_said_.push_back({decision.id, "advised", "", value, value});
  }
  for (const Decision& decision : pending_->decisions) {
    if (may_be_applied(decision)) agreement_.add_live(sample.at.tick, decision.proposal);
  }
  if (result_.as_recorded) compare(replayed, lines);
}

void TargetReplay::compare(const Step& replayed, const Lines& lines) {
  if (equal(*pending_, replayed)) return;
  if (result_.steps_that_differ++ != 0) return;
  result_.first_difference = difference(pending_->sample.sequence,
                                        journal(*pending_, pending_->sample.at.wall, info_), lines);
}

bool selected(const trace::TargetInfo& info, const ReplayRequest& request) {
  return !request.target || info.name == *request.target || info.path == *request.target;
}

Result<TargetReplay> prepare(trace::Reader& reader, const trace::TargetInfo& info,
                             const std::string& policy) {
  EngineConfig config = info.engine;
  const bool as_recorded = policy.empty() || policy == config.policy;
  if (!as_recorded) {
    config.policy = policy;
    config.policy_params.clear();  // those of another policy
  }
  auto engine = Engine::create(config);
  if (!engine) return tl::unexpected(engine.error().within("target " + info.name));
  auto steps = reader.steps(info.id);
  if (!steps) return tl::unexpected(steps.error());
  return TargetReplay(info, std::move(*steps), std::move(*engine), as_recorded, config.policy);
}

Result<std::vector<TargetReplay>> prepare_all(trace::Reader& reader, const ReplayRequest& request) {
  const auto targets = reader.targets();
  if (!targets) return tl::unexpected(targets.error());
  std::vector<TargetReplay> replays;
  std::string known;
  for (const trace::TargetSummary& summary : *targets) {
    known += (known.empty() ? "" : ", ") + summary.info.name;
    if (!selected(summary.info, request)) continue;
    auto replay = prepare(reader, summary.info, request.policy);
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

Result<std::vector<ReplayResult>> replay(const ReplayRequest& request,
                                         const std::function<void(const std::string&)>& line) {
  auto reader = trace::Reader::open(request.trace);
  if (!reader) return tl::unexpected(reader.error());
  auto replays = prepare_all(*reader, request);
  if (!replays) return tl::unexpected(replays.error());
  for (TargetReplay& target : *replays) {
    if (auto done = target.fetch(); !done) return tl::unexpected(done.error());
  }
  // Targets are merged by time, in their order where times are equal.
  while (true) {
    TargetReplay* next = nullptr;
    for (TargetReplay& target : *replays) {
      if (!target.ended() && (next == nullptr || target.tick() < next->tick())) next = &target;
    }
    if (next == nullptr) break;
    next->step(line);
    if (auto done = next->fetch(); !done) return tl::unexpected(done.error());
  }
  std::vector<ReplayResult> results;
  for (TargetReplay& target : *replays) results.push_back(target.finish());
  return results;
}

}  // namespace rocktune::tools
