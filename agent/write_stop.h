// Whether RocksDB would take new options at once.
//
// SetOptions and SetDBOptions of RocksDB 7.8.3 enter the write thread to write the OPTIONS file:
// while writes are stopped the leader of the writers keeps that thread, and they return when the
// stop has ended (tried: neither did, with one writer waiting, nor did the call that raised the
// trigger which stopped it). Those of 11.8.1 enter it for the size of the WAL only, and took 28 ms;
// in which version that changed is not known, so every version before 11 is treated like 7.8.3. A
// limiter and a cache need no such thing, and the limiter may be what ends the stop. A stop that
// begins between the question and the call is waited for all the same: nobody can exclude that.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/version.h>

#include <string>
#include <string_view>

namespace rocktune::agent {

// False: only kWalSizeOption does.
inline constexpr bool kEveryOptionWaits = ROCKSDB_MAJOR < 11;
inline constexpr std::string_view kWalSizeOption = "max_total_wal_size";

// Empty, or the sentence. Costs a visit to the DB mutex.
std::string why_options_wait(rocksdb::DB* db);
// The same of a flush that is to stall nobody, for which RocksDB waits until writes are not delayed
// either.
std::string why_flush_waits(rocksdb::DB* db);

}  // namespace rocktune::agent
