// When stalls begin and end: docs/import.md says by what.
#include "trace/rocksdb_log/timeline.h"

namespace rocktune::trace::rocksdb_log {
namespace {

const char* condition_name(StallState::Condition condition) {
  switch (condition) {
    case StallState::Condition::kDelayed:
      return "delayed";
    case StallState::Condition::kStopped:
      return "stopped";
    case StallState::Condition::kNormal:
      break;
  }
  return "normal";
}

const char* cause_name(StallCause cause) {
  switch (cause) {
    case StallCause::kMemtables:
      return "memtables";
    case StallCause::kL0Files:
      return "l0_files";
    case StallCause::kPendingBytes:
      break;
  }
  return "pending_compaction_bytes";
}

}  // namespace

void Timeline::on(const StallTold& told) {
  FamilyState& state = family(told.family);
  const StallState before = state.stall_state();
  state.stall(now_, told);
  const StallState& after = state.stall_state();
  if (told.rate) stalled_rate_ = told.rate;
  if (before.condition == after.condition) return;
  std::map<std::string, std::int64_t> numbers;
  if (before.since.count() != 0) numbers["before_us"] = (now_ - before.since).count();
  tell(now_, std::string(event::kStall), told.family, std::move(numbers),
       {{"condition", condition_name(after.condition)},
        {"before", condition_name(before.condition)},
        {"cause", cause_name(after.cause)},
        {"told_by", "the LOG"}});
}

void Timeline::end_stall(const std::string& name, FamilyState& state, Micros at) {
  StallState& stall = state.stall_state();
  tell(at, std::string(event::kStall), name, {{"before_us", (at - stall.since).count()}},
       {{"condition", "normal"},
        {"before", condition_name(stall.condition)},
        {"cause", cause_name(stall.cause)},
        {"told_by", "the LOG"}});
  stall.condition = StallState::Condition::kNormal;
  stall.since = at;
  stall.over_since.reset();
}

void Timeline::settle(Micros now) {
  for (auto& [name, state] : families_) {
    const auto over = state.stall_state().over_since;
    if (over && now - *over >= kStallSilence) end_stall(name, state, *over);
  }
}

}  // namespace rocktune::trace::rocksdb_log
