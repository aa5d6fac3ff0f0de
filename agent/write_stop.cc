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

}  // namespace rocktune::agent
