// A small real database for the tests of the agent.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "agent/include/rocktune/agent.h"
#include "tests/support/catch.h"
#include "tests/unit/agent/temporary_directory.h"

namespace rocktune::agent::testing {

struct TestDatabase {
  TemporaryDirectory directory;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;

  explicit TestDatabase(const rocksdb::DBOptions& given = {}, bool prepared = true) {
    rocksdb::DBOptions options = given;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    if (prepared) prepare(options);
    rocksdb::DB* opened = nullptr;
    const auto status = rocksdb::DB::Open(options, directory.file("db"),
                                          {{"default", {}}, {"second", {}}}, &handles, &opened);
    INFO(status.ToString());
    REQUIRE(status.ok());
    db.reset(opened);
  }
  ~TestDatabase() {
    for (auto* const handle : handles) delete handle;
  }
  void destroy_handle(std::size_t index) {
    REQUIRE(db->DestroyColumnFamilyHandle(handles[index]).ok());
    handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(index));
  }
};

}  // namespace rocktune::agent::testing
