// In which order a load writes the records, which decides what tree it leaves:
//
//   load_order: key
//   load_order: spread
//
// `key`, the default: files hardly overlap and sink to their level as they are, so that a read
// finds its record in the first level that can have it. `spread`: neighbouring writes lie far apart
// in the key space, as with YCSB's default (insertorder=hashed); every flushed file spans all keys,
// and the levels overlap as in a database that has grown.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace rocktune::scenario {

enum class LoadOrder { kKey, kSpread };

class LoadSequence {
 public:
  LoadSequence(LoadOrder order, std::int64_t records)
      : records_(records),
        columns_(order == LoadOrder::kSpread ? (records + kSweep - 1) / kSweep : 0) {}

  // Places 0 to size() - 1 hold every record once; some places are empty.
  [[nodiscard]] std::int64_t size() const { return columns_ > 0 ? columns_ * kSweep : records_; }
  [[nodiscard]] std::optional<std::int64_t> at(std::int64_t place) const {
    if (columns_ == 0) return place;
    // The records as a matrix of kSweep rows, read by columns: every kSweep writes in a row pass
    // once through the whole key space.
    const std::int64_t record = place % kSweep * columns_ + place / kSweep;
    return record < records_ ? std::optional(record) : std::nullopt;
  }

 private:
  // Far fewer than a memtable's records (4,000 of 1 KB in 4 MiB), so that each spans all keys.
  static constexpr std::int64_t kSweep = 1000;
  std::int64_t records_;
  std::int64_t columns_;
};

}  // namespace rocktune::scenario
