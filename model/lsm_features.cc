// The shape of the LSM tree: of several column families the one that is worst off counts, since any
// one of them stalls the whole database.
#include <algorithm>

#include "model/derive.h"
#include "model/family_options.h"

namespace rocktune::derivation {
namespace {

// Finds the worst column family: the larger ratio wins; without ratios (the limit is switched off
// or unknown) the larger amount.
class Worst {
 public:
  // `limits`: the column family whose options hold for it.
  void look(const ColumnFamilyReading& family, const ColumnFamilyReading& limits,
            const Value& ratio, double amount) {
    const bool worse = family_ == nullptr || (ratio && (!ratio_ || *ratio > *ratio_)) ||
                       (!ratio && !ratio_ && amount > amount_);
    if (!worse) return;
    family_ = &family;
    limits_ = &limits;
    ratio_ = ratio;
    amount_ = amount;
  }
  // nullptr: nobody was looked at.
  [[nodiscard]] const ColumnFamilyReading* family() const { return family_; }
  [[nodiscard]] const ColumnFamilyReading& limits() const { return *limits_; }
  [[nodiscard]] const Value& ratio() const { return ratio_; }
  [[nodiscard]] double amount() const { return amount_; }

 private:
  const ColumnFamilyReading* family_ = nullptr;
  const ColumnFamilyReading* limits_ = nullptr;
  Value ratio_;
  double amount_ = 0;
};

// The one that comes first: where no amount of pending bytes delays writes, one may stop them.
Counter pending_limit(const ColumnFamilyReading& family) {
  const Counter& soft = family.soft_pending_limit_bytes;
  return soft == std::uint64_t{0} ? family.hard_pending_limit_bytes : soft;
}

void look_at_l0(const ColumnFamilyReading& family, const ColumnFamilyReading& limits,
                Worst& worst) {
  if (family.levels.empty()) return;
  const double files = level0_count(family);
  worst.look(family, limits, ratio(files, gauge(limits.level0_slowdown_trigger)), files);
}

void look_at(const ColumnFamilyReading& family, const Counter& amount, const Counter& limit,
             Worst& worst) {
  if (amount) worst.look(family, family, ratio(gauge(amount), gauge(limit)), *gauge(amount));
}

void take_l0(const Worst& worst, Features& out) {
  if (worst.family() == nullptr) return;
  out.l0_column_family = worst.family()->name;
  out.l0_files = worst.amount();
  out.l0_slowdown_files = gauge(worst.limits().level0_slowdown_trigger);
  out.l0_stop_files = gauge(worst.limits().level0_stop_trigger);
  out.l0_ratio = worst.ratio();
}

void take_pending(const Worst& worst, Features& out) {
  if (worst.family() == nullptr) return;
  out.pending_column_family = worst.family()->name;
  out.pending_bytes = worst.amount();
  out.pending_soft_bytes = gauge(worst.family()->soft_pending_limit_bytes);
  out.pending_hard_bytes = gauge(worst.family()->hard_pending_limit_bytes);
  const bool unlimited = pending_limit(*worst.family()) == std::uint64_t{0};
  out.pending_ratio = unlimited ? 0 : worst.ratio();
}

void take_memtables(const Worst& worst, Features& out) {
  if (worst.family() == nullptr) return;
  out.memtable_column_family = worst.family()->name;
  out.immutable_memtables = worst.amount();
  out.max_write_buffers = gauge(worst.family()->max_write_buffer_number);
  out.memtable_ratio = worst.ratio();
}

void add(const Value& amount, Value& total) {
  if (amount) total = total.value_or(0) + *amount;
}

// What waits for a compaction that may come.
Value waiting(const ColumnFamilyReading& family) {
  const Value pending = gauge(family.pending_compaction_bytes);
  return pending && !compacts(family) ? 0 : pending;
}

}  // namespace

void fill_lsm_shape(const DatabaseReading& newer, const KnobReadings& knobs, Features& out) {
  Worst l0, pending, memtables;
  const ColumnFamilyReading opened = opened_default(newer.column_families, knobs);
  for (const ColumnFamilyReading& family : newer.column_families) {
    look_at_l0(family, options_unread(family) ? opened : family, l0);
    look_at(family, family.pending_compaction_bytes, pending_limit(family), pending);
    look_at(family, family.immutable_memtables, family.max_write_buffer_number, memtables);
    add(waiting(family), out.total_pending_bytes);
    add(gauge(family.live_data_bytes), out.live_data_bytes);
    for (const LevelReading& level : family.levels) {
      add(static_cast<double>(level.bytes), out.total_sst_bytes);
    }
  }
  take_l0(l0, out);
  take_pending(pending, out);
  take_memtables(memtables, out);
}

}  // namespace rocktune::derivation

namespace rocktune {

// Universal compaction counts sorted runs: a level that is not empty is one of them (RocksDB's
// VersionStorageInfo::ComputeCompactionScore). FIFO has no other level.
double level0_count(const ColumnFamilyReading& family) {
  if (family.levels.empty()) return 0;
  auto files = static_cast<double>(family.levels.front().files);
  if (family.leveled_compaction != 0U) return files;
  return files + static_cast<double>(
                     std::count_if(family.levels.begin() + 1, family.levels.end(),
                                   [](const LevelReading& level) { return level.files > 0; }));
}

}  // namespace rocktune
