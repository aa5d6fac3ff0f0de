#include "policy/compaction_bursts.h"

namespace rocktune {

void CompactionBursts::observe(const Features& f, bool others_prevail) {
  if (others_prevail) {
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
