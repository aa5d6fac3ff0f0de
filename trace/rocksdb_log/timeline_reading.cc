// What an agent would have read of the database at some moment of a timeline.
#include <algorithm>

#include "trace/rocksdb_log/timeline.h"

namespace rocktune::trace::rocksdb_log {

void Timeline::fill_level0_compactions(Micros at, const std::string& name,
                                       ColumnFamilyReading& reading) const {
  std::uint64_t files = 0, input = 0, output = 0;
  Micros age{0};
  for (const auto& [number, job] : jobs_) {
    if (!job.compaction || job.level0_files == 0 || job.family != name) continue;
    files += job.level0_files;
    input += job.input_bytes;
    output += job.output_bytes;
    age = std::max(age, at - job.began);
  }
  reading.l0_compaction_input_files = files;
  reading.l0_compaction_input_bytes = input;
  reading.l0_compaction_output_bytes = output;
  reading.l0_compaction_age_ms =
      static_cast<std::uint64_t>(std::max<std::int64_t>(age.count() / 1000, 0));
}

void Timeline::fill_deep_compaction(Micros at, const std::string& name,
                                    ColumnFamilyReading& reading) const {
  reading.deep_compaction_level = reading.deep_compaction_age_ms = 0;
  Micros oldest = Micros::max();
  for (const auto& [number, job] : jobs_) {
    const auto level = job.input_level();
    if (!job.compaction || job.level0_files > 0 || !level || job.family != name) continue;
    if (job.began >= oldest) continue;
    oldest = job.began;
    reading.deep_compaction_level = level;
    reading.deep_compaction_age_ms =
        static_cast<std::uint64_t>(std::max<std::int64_t>((at - job.began).count() / 1000, 0));
  }
}

DatabaseReading Timeline::reading(Micros at) const {
  DatabaseReading reading;
  reading.flush_bytes_written = flush_bytes_;
  reading.compaction_bytes_read = read_bytes_;
  reading.compaction_bytes_written = written_bytes_;
  reading.running_flushes = reading.running_compactions = 0;
  for (const auto& [number, job] : jobs_) {
    ++*(job.compaction ? reading.running_compactions : reading.running_flushes);
  }
  reading.cache_capacity_bytes = cache_capacity_;
  bool delayed = false, stopped = false;
  for (const std::string& name : order_) {
    const FamilyState& state = families_.at(name);
    delayed = delayed || state.stall_state().condition == StallState::Condition::kDelayed;
    stopped = stopped || state.stall_state().condition == StallState::Condition::kStopped;
    ColumnFamilyReading family = state.reading();
    fill_level0_compactions(at, name, family);
    fill_deep_compaction(at, name, family);
    state.done_jobs().fill(at, family);
    reading.column_families.push_back(std::move(family));
  }
  reading.write_stopped = stopped ? 1 : 0;
  reading.delayed_write_rate = 0;
  if (delayed) {
    reading.delayed_write_rate = stalled_rate_ ? stalled_rate_ : session_.delayed_write_rate;
  }
  return reading;
}

}  // namespace rocktune::trace::rocksdb_log
