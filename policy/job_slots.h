// How RocksDB splits max_background_jobs (DBImpl::GetBGJobLimits): a quarter flushes, at least one,
// the rest compactions, at least one. Pure; for policy/ and sim/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace rocktune {

inline std::int64_t flush_slots(std::int64_t jobs) {
  return std::max<std::int64_t>(1, jobs / 4);
}
inline std::int64_t compaction_slots(std::int64_t jobs) {
  return std::max<std::int64_t>(1, jobs - flush_slots(jobs));
}

// In use: four fifths of them; unknown is none.
inline bool are_full(const std::optional<double>& running, std::int64_t slots) {
  return running.value_or(0) >= 0.8 * static_cast<double>(slots);
}

}  // namespace rocktune
