#include "policy/worth_reads.h"

#include "model/write_stall.h"

namespace rocktune {
namespace {

// Of the way from where writes are delayed to where they stop.
constexpr double kNearStop = 0.75;
// Of so many memtables RocksDB delays for none (db/column_family.cc).
constexpr double kUndelayedMemtables = 3;

// Of a stop, where what is to come is no delay.
bool is_near_stop(const Features& f) {
  const auto is_far = [](const Value& now, const Value& delays, const Value& stops) {
    if (!now || !delays || !stops || *stops <= *delays) return false;
    return *now >= *delays + kNearStop * (*stops - *delays);
  };
  const bool memtables = f.immutable_memtables && f.max_write_buffers > kUndelayedMemtables &&
                         *f.immutable_memtables + 1 >= *f.max_write_buffers;
  return memtables || is_far(f.l0_files, f.l0_slowdown_files, f.l0_stop_files) ||
         is_far(f.pending_bytes, f.pending_soft_bytes, f.pending_hard_bytes);
}

}  // namespace

// A delay to more than what is written costs nobody anything. Where writers come first it is not
// waited for one that does.
bool is_felt(const Situation& situation) {
  const bool lost = situation.features.stalled_ratio.value_or(1) >= kStalledRatio;
  return situation.loses_time || (situation.stalled && (lost || situation.writers_first()));
}

// On a full device a raise takes from reads what it gives to compactions: for what is lost, or near
// a limit, and not for a delay that is not felt, or for a forecast. Where nobody reads, here or
// elsewhere on the device, it takes nothing.
bool is_worth_reads(const Situation& situation) {
  const bool read = situation.read_lately || shares_device(situation.features);
  if (!situation.looks_loaded || situation.piling || !read) return true;
  if (!situation.stalled) return situation.near_limit;
  return is_felt(situation) || is_near_stop(situation.features);
}

}  // namespace rocktune
