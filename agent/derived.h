// Figures that people judge a database by, from RocksDB's tickers since it was opened. Pure. Each
// comes with its formula and the numbers that went into it, so that nobody has to trust the name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wire/statistics.h"

namespace rocktune::agent {

// `tickers` without "rocksdb.". A figure whose inputs are absent, or whose divisor is 0, has a
// reason in place of a value.
std::vector<wire::Derived> derive(const std::map<std::string, std::uint64_t>& tickers);

}  // namespace rocktune::agent
