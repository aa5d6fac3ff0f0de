// Opens a RocksDB of any supported version: up to 10 it hands out a plain pointer, from 11 on an
// owning one.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/version.h>

#include <memory>
#include <string>
#include <vector>

namespace rocktune::testing {

inline rocksdb::Status open_database(const rocksdb::DBOptions& options, const std::string& path,
                                     const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                                     std::vector<rocksdb::ColumnFamilyHandle*>* handles,
                                     std::unique_ptr<rocksdb::DB>* db) {
#if ROCKSDB_MAJOR >= 11
  return rocksdb::DB::Open(options, path, families, handles, db);
#else
  rocksdb::DB* opened = nullptr;
  auto status = rocksdb::DB::Open(options, path, families, handles, &opened);
  db->reset(opened);
  return status;
#endif
}

inline rocksdb::Status open_read_only(const std::string& path, std::unique_ptr<rocksdb::DB>* db) {
#if ROCKSDB_MAJOR >= 11
  return rocksdb::DB::OpenForReadOnly({}, path, db);
#else
  rocksdb::DB* opened = nullptr;
  auto status = rocksdb::DB::OpenForReadOnly({}, path, &opened);
  db->reset(opened);
  return status;
#endif
}

}  // namespace rocktune::testing
