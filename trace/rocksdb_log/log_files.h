// Which files make up one database's LOG, oldest first.
//
// RocksDB writes LOG and renames it, at each open and when it rolls, to LOG.old.<microseconds>; in
// a directory of its own (db_log_dir) the names begin with the database's path and "_". Each may be
// compressed (.gz).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::trace::rocksdb_log {

struct LogFile {
  std::string path;
  std::uint64_t bytes = 0;
  bool operator==(const LogFile&) const = default;
};

// `path`: a directory, whose LOG files are found, or one file, which is taken alone whatever its
// name. Fails when there is none, or when a directory holds the LOGs of several databases.
Result<std::vector<LogFile>> find_log_files(const std::string& path);

}  // namespace rocktune::trace::rocksdb_log
