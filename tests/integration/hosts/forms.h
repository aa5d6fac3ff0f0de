// The forms in which a RocksDB database can be opened, for the tests of how the agent comes into a
// process.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <vector>

namespace rocktune::testing {

using Handle = rocksdb::ColumnFamilyHandle;

struct Opened {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<Handle*> handles;  // the host's own, to be destroyed before the database
};

// Opens `path`, which holds some data already, in the form of that name; ends the process with
// code 3 if there is no such form in this version of RocksDB, and with code 1 if it cannot be
// opened.
Opened open_form(const std::string& form, const std::string& path);

// Makes the database: a few SST files in L0, or a single one in the last level.
void make_database(const std::string& path, bool compacted);

// Ends the process with code 1 if it is not ok.
void must(const rocksdb::Status& status, const char* what);

// What a linked host calls around an open; nothing in one that is preloaded.
void before_open(rocksdb::DBOptions& options);

}  // namespace rocktune::testing
