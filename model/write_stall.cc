#include "model/write_stall.h"

#include "model/text.h"

namespace rocktune {
namespace {

struct Limit {
  std::string cause;
  std::string sentence;
};

bool reached(const Value& value, const Value& limit) {
  return value && limit && *limit > 0 && *value >= *limit;
}

Limit memtables(const Features& f) {
  return {"memtables", text::amount(f.immutable_memtables.value_or(0)) + " of " +
                           text::amount(f.max_write_buffers.value_or(0)) +
                           " memtables wait for their flush" +
                           text::in_family(f.memtable_column_family)};
}

Limit l0(const Features& f, const char* kind, double limit) {
  return {"l0", "L0 has " + text::amount(f.l0_files.value_or(0)) + " files" +
                    text::in_family(f.l0_column_family) + ", its limit for a " + kind + " is " +
                    text::amount(limit)};
}

Limit pending(const Features& f, const char* kind, double limit) {
  return {"pending_bytes", text::bytes(f.pending_bytes.value_or(0)) + " wait for compaction" +
                               text::in_family(f.pending_column_family) + ", the limit for a " +
                               kind + " is " + text::bytes(limit)};
}

Limit buffer_manager(const Features& f) {
  const Value& limit = f.write_buffer_limit_bytes;
  return {"write_buffer_manager",
          "the memtables of all that share the write buffer manager are at "
          "its limit" +
              (limit ? " of " + text::bytes(*limit) : "")};
}

// In the order in which RocksDB looks.
std::optional<Limit> stop_limit(const Features& f) {
  if (reached(f.immutable_memtables, f.max_write_buffers)) return memtables(f);
  if (reached(f.l0_files, f.l0_stop_files)) return l0(f, "stop", *f.l0_stop_files);
  if (reached(f.pending_bytes, f.pending_hard_bytes)) {
    return pending(f, "stop", *f.pending_hard_bytes);
  }
  if (f.write_buffer_stall.value_or(0) > 0) return buffer_manager(f);
  return std::nullopt;
}

std::optional<Limit> delay_limit(const Features& f) {
  // With three memtables or fewer RocksDB knows no delay between "fine" and "stop".
  bool may_delay = f.immutable_memtables && f.max_write_buffers && *f.max_write_buffers > 3;
  if (may_delay && *f.immutable_memtables >= *f.max_write_buffers - 1) return memtables(f);
  if (reached(f.l0_files, f.l0_slowdown_files)) return l0(f, "slowdown", *f.l0_slowdown_files);
  if (reached(f.pending_bytes, f.pending_soft_bytes)) {
    return pending(f, "slowdown", *f.pending_soft_bytes);
  }
  return std::nullopt;
}

WriteStall stall(std::string what, std::optional<Limit> limit) {
  if (!limit) {
    return {"", std::move(what) +
                    "; which limit it was is not in this sample: `rocktune events` tells"};
  }
  return {std::move(limit->cause), std::move(what) + ": " + limit->sentence};
}

}  // namespace

Value first_pending_limit(const Features& f) {
  const Value& first = f.pending_soft_bytes == 0.0 ? f.pending_hard_bytes : f.pending_soft_bytes;
  return first && *first > 0 ? first : std::nullopt;
}

bool writes_stall(const Features& f) {
  return f.write_stopped.value_or(0) > 0 || f.delayed_bytes_per_second ||
         f.stalled_ratio.value_or(0) >= kStalledRatio;
}

bool writers_stand_still(const Features& f) {
  if (f.write_stopped.value_or(0) > 0) return true;
  const double lost = f.stalled_ratio.value_or(0);
  // RocksDB counts a stall as it ends: one that takes all of the interval began before it.
  const bool over = lost >= 1 && !f.delayed_bytes_per_second;
  return lost >= kStandingRatio && !over;
}

bool only_buffers_are_full(const Features& f) {
  if (f.write_stopped.value_or(0) <= 0 || f.write_buffer_stall.value_or(0) <= 0) return false;
  const auto limit = stop_limit(f);
  return limit && limit->cause == "write_buffer_manager";
}

Value lost_share(const Features& f) {
  return f.write_stopped.value_or(0) > 0 ? Value(1) : f.stalled_ratio;
}

std::optional<WriteStall> find_write_stall(const Features& f) {
  if (f.write_stopped.value_or(0) > 0) return stall("writes are stopped", stop_limit(f));
  if (f.delayed_bytes_per_second) {
    return stall("writes are delayed to " + text::rate(*f.delayed_bytes_per_second),
                 delay_limit(f));
  }
  if (!writes_stall(f)) return std::nullopt;
  const double share = f.stalled_ratio.value_or(0);
  std::optional<Limit> limit = stop_limit(f);
  if (!limit) limit = delay_limit(f);
  return stall("writers lost " + text::microseconds(share * f.interval_seconds * 1e6) +
                   " of the last " + text::microseconds(f.interval_seconds * 1e6) + " to stalls",
               std::move(limit));
}

}  // namespace rocktune
