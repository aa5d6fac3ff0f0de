// WriteStall: whether RocksDB delays or stops writes, and which of its limits is reached. Its rules
// stand in its db/column_family.cc (GetWriteStallConditionAndCause). Pure.
//
// A sample is one moment: a stop that lasted a part of the interval shows only in the time that
// writers lost, and the limit behind it may be gone again. Then no cause is named, rather than the
// limit that happens to be nearest.
//
// A WriteBufferManager with allow_stall stops writers by itself (db/db_impl/db_impl_write.cc,
// WriteBufferManagerStallWrites): it delays nobody before, and neither is-write-stopped nor
// stall.micros tell of it. The agent asks it; a stall between two samples is seen by nobody.
#pragma once

#include <optional>
#include <string>

#include "model/features.h"

namespace rocktune {

// Stops shorter than a poll do not show in the gauges, but in the time that writers lost: from this
// share of the interval they count.
inline constexpr double kStalledRatio = 0.1;
// From this share of the interval on writers stand still more than they write.
inline constexpr double kStandingRatio = 0.5;

struct WriteStall {
  // "memtables", "l0", "pending_bytes", "write_buffer_manager"; empty: this sample does not show it
  std::string cause;
  std::string
      sentence;  // "writes are stopped: 2 of 2 memtables wait for their flush in column ..."
};

bool writes_stall(const Features& features);

// Pending bytes that come first of those that delay writes and those that stop them. Absent: no
// amount does either, or the limits were not read.
Value first_pending_limit(const Features& features);

// Writes are stopped, or writers lost most of the interval: a delay that lets most pass is none,
// nor is a stall that is over.
bool writers_stand_still(const Features& features);

// Writes are stopped by the write buffer manager, and by no limit of RocksDB's own: no delay comes
// before that.
bool only_buffers_are_full(const Features& features);

// The share of the interval that writers lost. RocksDB counts a stall as it ends: while writes are
// stopped it is all of it.
Value lost_share(const Features& features);

// Absent while writes flow.
std::optional<WriteStall> find_write_stall(const Features& features);

}  // namespace rocktune
