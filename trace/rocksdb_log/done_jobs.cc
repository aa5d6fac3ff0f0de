#include "trace/rocksdb_log/done_jobs.h"

#include <algorithm>

namespace rocktune::trace::rocksdb_log {
namespace {

std::uint64_t whole_ms(Micros time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(time.count() / 1000, 0));
}

}  // namespace

void DoneJobs::add_flush(Micros at) {
  ++flushes_;
  last_flush_ = at;
}

void DoneJobs::add_compaction(std::uint64_t level0_files, Micros lasted,
                              std::uint64_t input_bytes) {
  const Micros time = std::max(lasted, Micros(0));
  if (level0_files == 0) {
    ++deep_;
    deep_time_ += time;
    return;
  }
  ++level0_;
  level0_bytes_ += input_bytes;
  level0_time_ += time;
}

void DoneJobs::fill(Micros at, ColumnFamilyReading& reading) const {
  reading.flushes = flushes_;
  if (last_flush_) reading.last_flush_age_ms = whole_ms(at - *last_flush_);
  reading.l0_compactions = level0_;
  reading.l0_compactions_ms = whole_ms(level0_time_);
  reading.l0_compactions_input_bytes = level0_bytes_;
  reading.deep_compactions = deep_;
  reading.deep_compactions_ms = whole_ms(deep_time_);
}

}  // namespace rocktune::trace::rocksdb_log
