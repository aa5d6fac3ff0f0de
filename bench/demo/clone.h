// Copies a closed RocksDB in no time: its SST files never change, so they are hard-linked; the rest
// is copied. Two runs thus start from the same state.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune::bench {

// `to` must not exist; both on one file system. Not while a process has `from` open.
Result<void> clone_database(const std::string& from, const std::string& to);

}  // namespace rocktune::bench
