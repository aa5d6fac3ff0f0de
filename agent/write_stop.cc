#include "agent/write_stop.h"

#include <rocksdb/write_buffer_manager.h>

#include <cstdint>

namespace rocktune::agent {

std::string why_options_wait(rocksdb::DB* db) {
  constexpr char kStopped[] =
      "writes are stopped, and RocksDB would make this wait for their end: try again later";
  std::uint64_t stopped = 0;
  if (db->GetIntProperty(rocksdb::DB::Properties::kIsWriteStopped, &stopped) && stopped != 0) {
    return kStopped;
  }
  // A stop of another kind, which the property does not tell of.
  const auto manager = db->GetDBOptions().write_buffer_manager;
  return manager && manager->IsStallActive() ? kStopped : "";
}

std::string why_flush_waits(rocksdb::DB* db) {
  std::uint64_t rate = 0;
  const bool known = db->GetIntProperty(rocksdb::DB::Properties::kActualDelayedWriteRate, &rate);
  if (known && rate != 0) {
    return "writes are delayed, and RocksDB would make this wait for their end: try again later";
  }
  return why_options_wait(db);
}

}  // namespace rocktune::agent
