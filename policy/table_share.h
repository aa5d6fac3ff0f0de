// TableShare: how much of what flushes write goes into tables. The rest are values that go into
// blob files (BlobDB), of which tables hold handles only. RocksDB counts what flushes write in all;
// policy/level0_merges.h sees how large the files are that they bring to level 0. Pure; bounded by
// the number of column families; internal to policy/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "policy/level0_merges.h"

namespace rocktune {

class TableShare {
 public:
  // Once per fresh sample, after `merges` has seen it.
  void observe(const Features& features, const Level0Merges& merges);
  // From 0 to 1; absent: too few flushes were seen.
  [[nodiscard]] Value share() const;

 private:
  std::map<std::string, std::uint64_t, std::less<>> seen_;  // flushes of each family, as last read
  // Of late: how many flushes, and bytes of all that they wrote and of tables.
  double flushes_ = 0, written_ = 0, tables_ = 0;
};

}  // namespace rocktune
