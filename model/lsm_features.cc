// The shape of the LSM tree: of several column families the one that is worst off counts, since any
// one of them stalls the whole database.
#include "model/derive.h"

namespace rocktune::derivation {
namespace {

// Keeps the worst column family: the larger ratio wins; without ratios (the limit is switched off
// or unknown) the larger amount.
class Worst {
 public:
  // True when (ratio, amount) is worse than all before.
  bool takes(const Value& ratio, double amount) {
    bool worse = !seen_ || (ratio && (!ratio_ || *ratio > *ratio_)) ||
                 (!ratio && !ratio_ && amount > amount_);
    if (!worse) return false;
    seen_ = true;
    ratio_ = ratio;
    amount_ = amount;
    return true;
  }

 private:
  bool seen_ = false;
  Value ratio_;
  double amount_ = 0;
};

void take_l0(const ColumnFamilyReading& family, Worst& worst, Features& out) {
  if (family.levels.empty()) return;
  Value files = static_cast<double>(family.levels.front().files);
  Value share = ratio(files, gauge(family.level0_slowdown_trigger));
  if (!worst.takes(share, *files)) return;
  out.l0_column_family = family.name;
  out.l0_files = files;
  out.l0_slowdown_files = gauge(family.level0_slowdown_trigger);
  out.l0_stop_files = gauge(family.level0_stop_trigger);
  out.l0_ratio = share;
}

void take_pending(const ColumnFamilyReading& family, Worst& worst, Features& out) {
  Value pending = gauge(family.pending_compaction_bytes);
  if (!pending) return;
  Value share = ratio(pending, gauge(family.soft_pending_limit_bytes));
  if (!worst.takes(share, *pending)) return;
  out.pending_column_family = family.name;
  out.pending_bytes = pending;
  out.pending_soft_bytes = gauge(family.soft_pending_limit_bytes);
  out.pending_hard_bytes = gauge(family.hard_pending_limit_bytes);
  out.pending_ratio = share;
}

void take_memtables(const ColumnFamilyReading& family, Worst& worst, Features& out) {
  Value immutable = gauge(family.immutable_memtables);
  if (!immutable) return;
  Value share = ratio(immutable, gauge(family.max_write_buffer_number));
  if (!worst.takes(share, *immutable)) return;
  out.memtable_column_family = family.name;
  out.immutable_memtables = immutable;
  out.max_write_buffers = gauge(family.max_write_buffer_number);
  out.memtable_ratio = share;
}

void add(const Value& amount, Value& total) {
  if (amount) total = total.value_or(0) + *amount;
}

}  // namespace

void fill_lsm_shape(const DatabaseReading& newer, Features& out) {
  Worst l0, pending, memtables;
  for (const ColumnFamilyReading& family : newer.column_families) {
    take_l0(family, l0, out);
    take_pending(family, pending, out);
    take_memtables(family, memtables, out);
    add(gauge(family.live_data_bytes), out.live_data_bytes);
    for (const LevelReading& level : family.levels) {
      add(static_cast<double>(level.bytes), out.total_sst_bytes);
    }
  }
}

}  // namespace rocktune::derivation
