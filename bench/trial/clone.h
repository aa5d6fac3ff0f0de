// Copies closed RocksDB databases in no time, so that many runs start from the same state: as
// reflinks where the file system has them; else SST files, which never change, as hard links and
// the rest as copies; across file systems everything is copied.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune::bench {

// `from` is a database, or a directory with databases in it; `to` must not exist. Not while a
// process has one of them open.
Result<void> clone_database(const std::string& from, const std::string& to);

}  // namespace rocktune::bench
