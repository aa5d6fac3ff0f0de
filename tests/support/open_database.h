// Opens a RocksDB of any supported version: up to 10 it hands out a plain pointer, from 11 on an
// owning one.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/version.h>

#include <memory>
#include <string>
#include <vector>

namespace rocktune::testing {

#if ROCKSDB_MAJOR >= 11
using OpenedDatabase = std::unique_ptr<rocksdb::DB>;
#else
using OpenedDatabase = rocksdb::DB*;
#endif

inline rocksdb::Status open_database(const rocksdb::DBOptions& options, const std::string& path,
                                     const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                                     std::vector<rocksdb::ColumnFamilyHandle*>* handles,
                                     std::unique_ptr<rocksdb::DB>* db) {
  OpenedDatabase opened{};
  auto status = rocksdb::DB::Open(options, path, families, handles, &opened);
  if (status.ok()) *db = std::unique_ptr<rocksdb::DB>(std::move(opened));
  return status;
}

}  // namespace rocktune::testing
