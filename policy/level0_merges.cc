#include "policy/level0_merges.h"

#include <algorithm>
#include <utility>

namespace rocktune {
namespace {

constexpr double kMergesSeconds = 10;  // time constant of the means
// One doubling has to save this share of what flushes and compactions write, or it is not worth it.
constexpr double kLeastSaved = 0.05;

}  // namespace

void Level0Merges::observe(const Features& f) {
  std::map<std::string, Family> now;
  for (const ColumnFamilyReading& reading : f.column_families) {
    if (!reading.flushes || !reading.l0_compactions_input_bytes || !reading.write_buffer_bytes) {
      continue;
    }
    const auto before = families_.find(reading.name);
    Family family = before == families_.end() ? Family() : before->second;
    const bool comparable = before != families_.end() && f.interval_seconds > 0 &&
                            *reading.flushes >= family.flushes &&
                            *reading.l0_compactions_input_bytes >= family.l0_input_bytes;
    if (comparable) {
      const auto buffers = static_cast<double>(*reading.flushes - family.flushes);
      const double flushed = buffers * static_cast<double>(*reading.write_buffer_bytes);
      const auto read =
          static_cast<double>(*reading.l0_compactions_input_bytes - family.l0_input_bytes);
      family.seconds += f.interval_seconds;  // a plain mean until the window is full
      const double weight =
          std::min(1.0, f.interval_seconds / std::min(family.seconds, kMergesSeconds));
      Level0Merging& merging = family.merging;
      merging.flushed += weight * (flushed / f.interval_seconds - merging.flushed);
      merging.l0_input += weight * (read / f.interval_seconds - merging.l0_input);
    }
    family.flushes = *reading.flushes;
    family.l0_input_bytes = *reading.l0_compactions_input_bytes;
    now.emplace(reading.name, family);
  }
  families_ = std::move(now);
}

const Level0Merging* Level0Merges::of(const std::string& column_family) const {
  const auto family = families_.find(column_family);
  return family == families_.end() ? nullptr : &family->second.merging;
}

bool worth_doubling(const Level0Merging& merging, const Features& f) {
  const double written =
      f.flush_bytes_per_second.value_or(0) + f.compaction_write_bytes_per_second.value_or(0);
  return merging.saved_by_doubling() >= kLeastSaved * std::max(written, merging.flushed);
}

}  // namespace rocktune
