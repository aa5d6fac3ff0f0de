// What a recording keeps of what a database was opened with: the options that rules of advice
// (advice/rules.h) read.
#pragma once

#include <cstddef>

#include "model/open_options.h"

namespace rocktune {

// Of one opening, all names and values together. The eight of a column family take some 270 bytes:
// enough for 200 of them.
inline constexpr std::size_t kMostOptionBytes = 64 << 10;
// Of one value; RocksDB writes out a list or an object as one, and none that is read is longer.
inline constexpr std::size_t kMostValueBytes = 256;

// What rules read of `all`: who makes one read another option adds its name in kept_options.cc.
// Where that is more than kMostOptionBytes the last column families, by name, are left out whole,
// and counted; so is a value that is longer than kMostValueBytes.
OpenOptions kept_options(const OpenOptions& all);

// Whether another value is told of what nothing changes while a database is open. What only one of
// them tells says nothing.
bool opened_otherwise(const OpenOptions& before, const OpenOptions& now);

}  // namespace rocktune
