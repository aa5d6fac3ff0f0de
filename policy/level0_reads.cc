#include "policy/level0_reads.h"

#include "model/knobs.h"

namespace rocktune {
namespace {

bool bear(const Calls& calls, const Features& f, std::string_view column_family) {
  constexpr double kFewReads = 0.1;  // beside writes: these do not count
  const double seeks = calls.seeks.value_or(0), writes = calls.writes.value_or(0);
  const KnobReading* filters = f.knobs.find(knob::kBloomBits, column_family);
  const bool filtered = filters != nullptr && filters->value > 0;
  if (filtered) return seeks <= kFewReads * (calls.reads.value_or(0) + writes);
  return calls.reads && calls.writes && *calls.reads + seeks <= kFewReads * writes;
}

}  // namespace

bool reads_bear_level0(const Features& f, std::string_view column_family) {
  return bear({f.reads_per_second, f.seeks_per_second, f.writes_per_second}, f, column_family);
}

bool reads_burden_level0(const Situation& situation, std::string_view column_family) {
  return situation.reads_seen && !reads_bear_level0(situation.features, column_family);
}

bool reads_have_borne_level0(const Situation& situation, std::string_view column_family) {
  const Features& f = situation.features;
  return reads_bear_level0(f, column_family) && bear(situation.calls, f, column_family);
}

}  // namespace rocktune
