// The names of what RocksDB counts, in the version that runs: nothing here knows a list of its own.
//
// RocksDB's name maps are static objects that its exit handlers may destroy: they are copied once.
// Thread-safety: all functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rocktune::agent {

using Names = std::vector<std::pair<std::uint32_t, std::string>>;

// By name, in rising order, without "rocksdb.".
const Names& tickers();
const Names& histograms();

// RocksDB cannot be asked which properties it has. These are all that the header it was built
// against (rocksdb/db.h) names, without those that take an argument, in rising order and in full
// ("rocksdb.cfstats").
const std::vector<std::string>& properties();

std::string without_prefix(std::string_view name);

}  // namespace rocktune::agent
