#include "advice/family_evidence.h"

#include <vector>

#include "advice/counters.h"
#include "model/level_targets.h"

namespace rocktune::advice {
namespace {

// Whether a gauge is at or above a limit that is in force (0: switched off).
std::optional<bool> at_limit(const Value& gauge, const Counter& limit) {
  if (!gauge || !limit) return std::nullopt;
  return *limit > 0 && *gauge >= static_cast<double>(*limit);
}

std::optional<bool> memtables_hold_writes(const ColumnFamilyReading& reading) {
  if (!reading.immutable_memtables || !reading.max_write_buffer_number) return std::nullopt;
  const std::uint64_t full = *reading.max_write_buffer_number;
  const std::uint64_t now = *reading.immutable_memtables;
  return now >= full || (full > 3 && now + 1 >= full);
}

// The level that L0 is compacted into.
std::size_t base_level(const ColumnFamilyReading& reading) {
  if (reading.levels.size() < 2) return 1;
  std::vector<double> bytes, targets(reading.levels.size());
  for (const LevelReading& level : reading.levels) {
    bytes.push_back(static_cast<double>(level.bytes));
  }
  return level_targets(level_shape_of(reading), bytes, targets);
}

}  // namespace

void FamilyEvidence::add(const ColumnFamilyReading* older, const ColumnFamilyReading& newer,
                         double seconds) {
  name = newer.name;
  if (last.write_buffer_bytes != newer.write_buffer_bytes) at_size = {};
  last = newer;
  last_pending_bytes = number(newer.pending_compaction_bytes);
  if (!first_pending_bytes) first_pending_bytes = last_pending_bytes;
  if (older == nullptr || !(seconds > 0)) return;
  add_jobs(*older, newer, seconds);
  add_levels(newer, seconds);
  add_limits(newer, seconds);
}

void FamilyEvidence::add_jobs(const ColumnFamilyReading& older, const ColumnFamilyReading& newer,
                              double seconds) {
  const auto add = [&](Sum& sum, Counter ColumnFamilyReading::* field) {
    sum.add(grown(older.*field, newer.*field), seconds);
  };
  add(flushes, &ColumnFamilyReading::flushes);
  add(l0_compactions, &ColumnFamilyReading::l0_compactions);
  add(l0_compactions_ms, &ColumnFamilyReading::l0_compactions_ms);
  add(l0_compactions_input_bytes, &ColumnFamilyReading::l0_compactions_input_bytes);
  add(deep_compactions, &ColumnFamilyReading::deep_compactions);
  add(deep_compactions_ms, &ColumnFamilyReading::deep_compactions_ms);
}

void FamilyEvidence::add_flushed(const ColumnFamilyReading& older, const ColumnFamilyReading& newer,
                                 const Value& user_bytes, const Value& flushed_bytes,
                                 double seconds) {
  if (older.write_buffer_bytes != newer.write_buffer_bytes) return;
  at_size.flushes.add(grown(older.flushes, newer.flushes), seconds);
  at_size.user_bytes.add(user_bytes, seconds);
  at_size.flushed_bytes.add(flushed_bytes, seconds);
}

void FamilyEvidence::add_levels(const ColumnFamilyReading& newer, double seconds) {
  if (newer.levels.empty()) return;
  const LevelReading& l0 = newer.levels.front();
  l0_files.add(static_cast<double>(l0.files), seconds);
  if (l0.files > 0) {
    l0_file_bytes.add(static_cast<double>(l0.bytes) / static_cast<double>(l0.files), seconds);
  }
  double sorted_runs = static_cast<double>(l0.files);
  double bytes = 0;
  for (std::size_t i = 0; i < newer.levels.size(); ++i) {
    bytes += static_cast<double>(newer.levels[i].bytes);
    if (i > 0 && newer.levels[i].files > 0) sorted_runs += 1;
  }
  runs.add(sorted_runs, seconds);
  data_bytes.add(bytes, seconds);
  space_ratio.add(ratio(bytes, number(newer.live_data_bytes)), seconds);
  if (const std::size_t base = base_level(newer); leveled() && base < newer.levels.size()) {
    const auto held = static_cast<double>(newer.levels[base].bytes);
    if (held > 0) base_bytes.add(held, seconds);
  }
}

void FamilyEvidence::add_limits(const ColumnFamilyReading& newer, double seconds) {
  pending_bytes.add(last_pending_bytes, seconds);
  const Value files =
      newer.levels.empty() ? std::nullopt : Value(static_cast<double>(newer.levels.front().files));
  const auto l0 = at_limit(files, newer.level0_slowdown_trigger);
  const auto debt = at_limit(last_pending_bytes, newer.soft_pending_limit_bytes);
  const auto memtables = memtables_hold_writes(newer);
  l0_slowed.add(l0, seconds);
  debt_slowed.add(debt, seconds);
  memtables_full.add(memtables, seconds);
  if (memtables && l0) {
    memtables_full_alone.add(*memtables && !*l0 && !debt.value_or(false), seconds);
  }
  if (l0.value_or(false) && newer.l0_compaction_input_files) {
    l0_busy_when_slowed.add(*newer.l0_compaction_input_files > 0, seconds);
  }
}

Value FamilyEvidence::write_buffer_bytes() const {
  return number(last.write_buffer_bytes);
}

Value FamilyEvidence::l0_compaction_seconds() const {
  const Value ms = ratio(l0_compactions_ms.total(), l0_compactions.total());
  return ms ? Value(*ms / 1000) : std::nullopt;
}

bool same_options(const ColumnFamilyReading& a, const ColumnFamilyReading& b) {
  const auto options = [](const ColumnFamilyReading& one) {
    return std::tie(
        one.write_buffer_bytes, one.max_write_buffer_number, one.level0_compaction_trigger,
        one.level0_slowdown_trigger, one.level0_stop_trigger, one.soft_pending_limit_bytes,
        one.hard_pending_limit_bytes, one.target_file_bytes, one.max_bytes_for_level_base_bytes,
        one.max_bytes_for_level_multiplier, one.dynamic_level_bytes, one.leveled_compaction);
  };
  return options(a) == options(b);
}

}  // namespace rocktune::advice
