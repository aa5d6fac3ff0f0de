// A checkpoint of a database that a trace of its operations can be replayed onto.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <string>

namespace rocktune::agent {

// Whether the write-ahead log has all that the memtables have, as far as the database's Statistics
// tell. False where they do not.
bool log_is_whole(rocksdb::DB* db);

// What a checkpoint copies of the log at most.
std::uint64_t bytes_of_log(rocksdb::DB* db);

// Hard links of the SST files and a copy of the log. Where the log does not have everything (or
// transactions in two phases: RocksDB insists) the memtables are flushed first, and RocksDB then
// waits until that stalls no write. Empty, or why it failed; nothing is left behind then.
std::string make_checkpoint(rocksdb::DB* db, const std::string& path);

}  // namespace rocktune::agent
