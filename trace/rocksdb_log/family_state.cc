#include "trace/rocksdb_log/family_state.h"

#include <algorithm>
#include <charconv>

#include "model/family_options.h"

namespace rocktune::trace::rocksdb_log {
namespace {

// A debt that was told just before the end of a compaction was told in it ("compacted to: ...").
constexpr Micros kSameInstall = std::chrono::milliseconds(5);

bool reached(const Counter& value, const Counter& limit, std::uint64_t less = 0) {
  return value && limit && *limit > less && *value >= *limit - less;
}

}  // namespace

void FamilyState::set_option(std::string_view name, std::string_view value) {
  std::string_view rest = value;
  const auto number = take_number(rest);
  if (name == "compaction_style") {
    leveled_ = value == "kCompactionStyleLevel";
    options_.leveled_compaction = leveled_ ? 1 : 0;
  }
  if (!number) return;
  for (const FamilyOption& option : kFamilyOptions) {
    if (option.name == name) options_.*option.recorded = number;
  }
  if (name == "disable_auto_compactions") compacts_ = *number == 0;
  if (name == "level0_file_num_compaction_trigger") shape_.level0_compaction_trigger = *number;
  if (name == "max_bytes_for_level_base") shape_.max_bytes_for_level_base = *number;
  if (name == "level_compaction_dynamic_level_bytes") {
    shape_.dynamic_level_bytes = *number != 0;
    options_.dynamic_level_bytes = *number != 0 ? 1 : 0;
  }
  if (name == "num_levels" && *number >= 1 && *number <= 64) num_levels_ = *number;
  if (name == "max_bytes_for_level_multiplier") {
    std::from_chars(value.data(), value.data() + value.size(),
                    shape_.max_bytes_for_level_multiplier);
    options_.max_bytes_for_level_multiplier = number;
  }
}

void FamilyState::calibrate(const FamilyStats& stats, Micros at) {
  if (counts_.empty()) counts_.assign(num_levels_, 0);
  const std::size_t levels = std::max(counts_.size(), stats.levels.size());
  counts_.assign(levels, 0);
  for (std::size_t level = 0; level < levels; ++level) {
    const FamilyStats::Level told =
        level < stats.levels.size() ? stats.levels[level] : FamilyStats::Level{};
    counts_[level] = told.files;
    files_.calibrate(level, told.files, told.bytes);
  }
  calibrated_ = true;
  if (stats.pending_bytes) set_pending(at, *stats.pending_bytes);
}

bool FamilyState::stall_holds() const {
  const bool stopped = stall_.condition == StallState::Condition::kStopped;
  const Counter files = counts_.empty() ? Counter() : Counter(counts_[0]);
  switch (stall_.cause) {
    case StallCause::kL0Files:
      return reached(files,
                     stopped ? options_.level0_stop_trigger : options_.level0_slowdown_trigger);
    case StallCause::kMemtables:
      return reached(immutable_, options_.max_write_buffer_number, stopped ? 0 : 1);
    case StallCause::kPendingBytes:
      break;
  }
  return false;
}

void FamilyState::install(Micros at) {
  if (told_pending_ && at - told_pending_->at > kSameInstall) told_pending_.reset();
  if (stall_.condition == StallState::Condition::kNormal || stall_holds()) return;
  if (!stall_.over_since) stall_.over_since = at;
}

void FamilyState::stall(Micros at, const StallTold& told) {
  const auto condition =
      told.stopped ? StallState::Condition::kStopped : StallState::Condition::kDelayed;
  if (condition != stall_.condition) stall_.since = at;
  stall_.condition = condition;
  stall_.cause = told.cause;
  stall_.over_since.reset();
  if (told.pending_bytes) set_pending(at, *told.pending_bytes);
}

std::vector<LevelReading> FamilyState::levels() const {
  LevelFiles counts = counts_;
  if (counts.empty() && empty_at_first_) counts.assign(num_levels_, 0);
  std::vector<LevelReading> levels;
  levels.reserve(counts.size());
  for (std::size_t level = 0; level < counts.size(); ++level) {
    levels.push_back({counts[level], counts[level] == 0 ? 0 : files_.level_bytes(level)});
  }
  return levels;
}

Counter FamilyState::pending(const std::vector<LevelReading>& levels) const {
  if (told_pending_) return told_pending_->bytes;
  if (!leveled_ || levels.empty() || !(calibrated_ || empty_at_first_)) return std::nullopt;
  std::vector<std::uint64_t> bytes;
  bytes.reserve(levels.size());
  for (const LevelReading& level : levels) bytes.push_back(level.bytes);
  return compaction_debt_bytes(shape_, levels[0].files, bytes);
}

ColumnFamilyReading FamilyState::reading() const {
  ColumnFamilyReading reading = options_;
  if (!compacts_) drop_compaction_limits(reading);
  reading.levels = levels();
  reading.immutable_memtables = immutable_;
  if (!immutable_ && empty_at_first_) reading.immutable_memtables = 0;
  reading.pending_compaction_bytes = pending(reading.levels);
  return reading;
}

}  // namespace rocktune::trace::rocksdb_log
