// A small real database for the tests of the agent.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "agent/include/rocktune/agent.h"
#include "tests/support/catch.h"
#include "tests/support/open_database.h"
#include "tests/support/temp_directory.h"

namespace rocktune::agent::testing {

using rocktune::testing::open_database;
using rocktune::testing::open_read_only;

struct TestDatabase {
  rocktune::tests::TempDirectory directory;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;

  explicit TestDatabase(const rocksdb::DBOptions& given = {}, bool prepared = true) {
    rocksdb::DBOptions options = given;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    if (prepared) prepare(options);
    const auto status = open_database(options, directory.file("db"),
                                      {{"default", {}}, {"second", {}}}, &handles, &db);
    INFO(status.ToString());
    REQUIRE(status.ok());
  }
  ~TestDatabase() { close(); }

  void close() {
    for (auto* const handle : handles) delete handle;
    handles.clear();
    db.reset();
  }
  [[nodiscard]] std::unique_ptr<rocksdb::DB> reopen_read_only() const {
    std::unique_ptr<rocksdb::DB> opened;
    REQUIRE(open_read_only(directory.file("db"), &opened).ok());
    return opened;
  }
  // The names in its directory, without the LOG's.
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory.file("db"))) {
      const auto name = entry.path().filename().string();
      if (!name.starts_with("LOG")) names.insert(name);
    }
    return names;
  }
  void destroy_handle(std::size_t index) {
    REQUIRE(db->DestroyColumnFamilyHandle(handles[index]).ok());
    handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(index));
  }
};

}  // namespace rocktune::agent::testing
