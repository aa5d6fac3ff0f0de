// Whether the RocksDB that this process uses is the one whose headers the agent was compiled with.
//
// Options and Statistics differ between minor versions, and neither the static nor the dynamic
// linker notices when they do: the symbols have the same names.
// Thread-safety: all functions.
#pragma once

#include <rocksdb/version.h>

#include <string>

namespace rocktune::agent {

// Empty if it is, or one sentence.
inline const std::string& rocksdb_mismatch() {
  static const auto* const problem = [] {
    const auto version = rocksdb::GetRocksVersionAsString();
    const auto ours = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
    if (version.starts_with(ours)) return new std::string;
    return new std::string("this process uses RocksDB " + version +
                           ", and this agent was built for " + ours +
                           "x: build the agent with that RocksDB");
  }();
  return *problem;
}

}  // namespace rocktune::agent
