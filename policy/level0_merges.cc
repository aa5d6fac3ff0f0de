#include "policy/level0_merges.h"

#include <algorithm>
#include <utility>

namespace rocktune {
namespace {

constexpr double kMergesSeconds = 10;  // time constant of the means
// One doubling has to save this share of what flushes and compactions write, or it is not worth it.
constexpr double kLeastSaved = 0.05;

}  // namespace

void Level0Merges::Family::follow(const ColumnFamilyReading& reading, double interval_seconds) {
  const double buffers = static_cast<double>(*reading.flushes - flushes);
  const double flushed = buffers * static_cast<double>(*reading.write_buffer_bytes);
  const auto read = static_cast<double>(*reading.l0_compactions_input_bytes - l0_input_bytes);
  seconds += interval_seconds;  // a plain mean until the window is full
  const double weight = std::min(1.0, interval_seconds / std::min(seconds, kMergesSeconds));
  merging.flushed += weight * (flushed / interval_seconds - merging.flushed);
  merging.l0_input += weight * (read / interval_seconds - merging.l0_input);
}

void Level0Merges::observe(const Features& f) {
  for (auto& [name, family] : families_) family.seen = false;
  for (const ColumnFamilyReading& reading : f.column_families) {
    if (!reading.flushes || !reading.l0_compactions_input_bytes || !reading.write_buffer_bytes) {
      continue;
    }
    const auto [place, is_new] = families_.try_emplace(reading.name);
    Family& family = place->second;
    if (family.seen) continue;
    const bool comparable = !is_new && f.interval_seconds > 0 &&
                            *reading.flushes >= family.flushes &&
                            *reading.l0_compactions_input_bytes >= family.l0_input_bytes;
    if (comparable) family.follow(reading, f.interval_seconds);
    family.flushes = *reading.flushes;
    family.l0_input_bytes = *reading.l0_compactions_input_bytes;
    family.seen = true;
  }
  std::erase_if(families_, [](const auto& one) { return !one.second.seen; });
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
