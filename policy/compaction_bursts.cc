#include "policy/compaction_bursts.h"

#include <algorithm>

namespace rocktune {
namespace {

constexpr double kLittle = 1 << 20;  // bytes/s that are no work

}  // namespace

bool others_work(const Features& f) {
  if (!f.shared || f.shared->device_members <= 1) return false;
  const double own =
      f.flush_bytes_per_second.value_or(0) + f.compaction_write_bytes_per_second.value_or(0);
  const double others =
      f.device_write_bytes_per_second.value_or(0) - own - f.wal_bytes_per_second.value_or(0);
  return others > std::max(own, kLittle);
}

void CompactionBursts::observe(const Features& f) {
  if (others_work(f)) {
    for (Trend* trend : {&beside_, &without_, &all_}) trend->expire(f.at.tick);
    return;
  }
  // One that began and ended between two samples shows in what it wrote.
  const bool works =
      f.running_compactions.value_or(0) > 0 || f.compaction_write_bytes_per_second.value_or(0) > 0;
  beside_.note(f.at.tick, works ? f.read_p99_us : std::nullopt);
  without_.note(f.at.tick, works ? std::nullopt : f.read_p99_us);
  all_.note(f.at.tick, f.read_p99_us);
}

}  // namespace rocktune
