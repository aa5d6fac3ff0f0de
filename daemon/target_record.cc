// What the trace has of a target besides its samples: what it is, and its openings.
#include "daemon/target.h"

namespace rocktune::daemon {

void Target::ensure_registered(TraceWriter::Step& record) {
  if (trace_id_ == 0 || !journal_.trace().has(trace_id_)) {
    recorded_incarnation_.clear();
    record.add([&](trace::Recorder& recorder) {
      const Result<std::int64_t> id =
          recorder.add_target({0, name_, path_, std::string(to_string(rule_.mode)), began_with_});
      if (id) trace_id_ = *id;
      return id;
    });
  }
  if (!opening_ || recorded_incarnation_ == opening_->incarnation()) return;
  record.add([&](trace::Recorder& recorder) {
    const wire::Hello& agent = opening_->agent;
    const Result<void> added = recorder.add_incarnation(
        trace_id_, {opening_->incarnation(), agent.pid, agent.command, agent.rocksdb_version,
                    agent.agent_version, opening_->database.limiter, opening_->database.statistics,
                    opening_options_.kept()});
    if (added) recorded_incarnation_ = opening_->incarnation();
    return added;
  });
}

bool Target::options_wanted() const {
  return live() && last_sample_.database && opening_options_.wanted(journal_.now().tick);
}

void Target::take_options(const Result<wire::Options>& answer) {
  if (!opening_) return;
  const std::vector<ColumnFamilyReading> none;
  const auto& families = last_sample_.database ? last_sample_.database->column_families : none;
  const std::string trouble = opening_options_.take(answer, families, journal_.now().tick);
  if (answer) recorded_incarnation_.clear();  // to be recorded once more, with the next sample
  if (!trouble.empty()) journal_.event(name_, trace_id_, "source", "options", trouble);
}

}  // namespace rocktune::daemon
