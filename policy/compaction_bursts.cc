#include "policy/compaction_bursts.h"

namespace rocktune {
namespace {

constexpr double kSlowerBesideCompactions = 1.5;

}  // namespace

void CompactionBursts::Waits::note(Nanoseconds now, const Value& p99_us, bool works) {
  beside.note(now, works ? p99_us : std::nullopt);
  without.note(now, works ? std::nullopt : p99_us);
  all.note(now, p99_us);
}

void CompactionBursts::Waits::expire(Nanoseconds now) {
  for (Trend* trend : {&beside, &without, &all}) trend->expire(now);
}

void CompactionBursts::observe(const Features& f, const Value& write_p99_us, bool others_prevail) {
  if (others_prevail) {
    reads_.expire(f.at.tick);
    writes_.expire(f.at.tick);
    return;
  }
  // One that began and ended between two samples shows in what it wrote.
  const bool works =
      f.running_compactions.value_or(0) > 0 || f.compaction_write_bytes_per_second.value_or(0) > 0;
  reads_.note(f.at.tick, f.read_p99_us, works);
  writes_.note(f.at.tick, write_p99_us, works);
}

bool CompactionBursts::slow_down(Side side) const {
  const Value beside = p99_us_beside(side), without = p99_us_without(side);
  return beside && without && *beside >= kSlowerBesideCompactions * *without;
}

}  // namespace rocktune
