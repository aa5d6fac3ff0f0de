#include "policy/level0_reads.h"

#include "model/knobs.h"

namespace rocktune {

bool reads_bear_level0(const Features& f, std::string_view column_family) {
  constexpr double kFewReads = 0.1;  // beside writes: these do not count
  const double seeks = f.seeks_per_second.value_or(0), writes = f.writes_per_second.value_or(0);
  const KnobReading* filters = f.knobs.find(knob::kBloomBits, column_family);
  const bool filtered = filters != nullptr && filters->value > 0;
  if (filtered) return seeks <= kFewReads * (f.reads_per_second.value_or(0) + writes);
  return f.reads_per_second && f.writes_per_second &&
         *f.reads_per_second + seeks <= kFewReads * writes;
}

}  // namespace rocktune
