// rocktune/c.h against the RocksDB that this is built with. What it does with databases that are
// served is in tests/integration/test_install.py.
#include <rocksdb/c.h>

#include <array>
#include <memory>
#include <string>

#include "agent/c_layout.h"
#include "agent/include/rocktune/c.h"
#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

struct Options {
  Options() : get(rocksdb_options_create()) {}
  ~Options() { rocksdb_options_destroy(get); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  rocksdb_options_t* const get;
};

TEST_CASE("RocksDB's C types hold what is believed") {
  CHECK(c_layout_problem().empty());
  const Options options;
  rocksdb_options_set_max_open_files(options.get, 4321);
  rocksdb_options_set_write_buffer_size(options.get, 7654321);
  CHECK(inside(options.get)->max_open_files == 4321);
  CHECK(inside(options.get)->write_buffer_size == 7654321);
}

TEST_CASE("a database in memory, and its column families, through the C types") {
  const Options options;
  const std::unique_ptr<rocksdb_env_t, decltype(&rocksdb_env_destroy)> memory(
      rocksdb_create_mem_env(), rocksdb_env_destroy);
  rocksdb_options_set_env(options.get, memory.get());
  rocksdb_options_set_create_if_missing(options.get, 1);
  CHECK(foreign_problem(*inside(options.get)).empty());
  char* error = nullptr;
  auto* const db = rocksdb_open(options.get, "/in_memory", &error);
  REQUIRE(error == nullptr);
  CHECK(inside(db)->GetName() == "/in_memory");
  CHECK(foreign_problem(inside(db)).empty());
  auto* const family = rocksdb_create_column_family(db, options.get, "later", &error);
  REQUIRE(error == nullptr);
  CHECK(inside(family)->GetName() == "later");
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
}

TEST_CASE("options that are not of this RocksDB are noticed without being touched") {
  rocksdb::Options options;
  CHECK(foreign_problem(options).empty());
  options.env = reinterpret_cast<rocksdb::Env*>(0x1234);  // nothing that can be read
  CHECK_FALSE(foreign_problem(options).empty());
  std::array<const void*, 2> object{&options, &options};  // an object whose table is in no library
  options.env = reinterpret_cast<rocksdb::Env*>(object.data());
  CHECK_FALSE(foreign_problem(options).empty());
}

TEST_CASE("NULL is refused or ignored, and never followed") {
  rocktune_attachment_t* attachment = nullptr;
  CHECK(rocktune_prepare(nullptr) == ROCKTUNE_INVALID);
  CHECK(rocktune_prepare_cpp(nullptr) == ROCKTUNE_INVALID);
  CHECK(rocktune_attach(nullptr, &attachment) == ROCKTUNE_INVALID);
  CHECK(rocktune_attach(nullptr, nullptr) == ROCKTUNE_INVALID);
  CHECK(rocktune_attach_cpp(nullptr, &attachment) == ROCKTUNE_INVALID);
  CHECK(rocktune_attach_transactiondb(nullptr, &attachment) == ROCKTUNE_INVALID);
  CHECK(rocktune_add(nullptr, nullptr) == ROCKTUNE_INVALID);
  CHECK(rocktune_forget_cpp(nullptr, &attachment) == ROCKTUNE_NOT_ATTACHED);
  CHECK(rocktune_id(nullptr, nullptr, 0) == 0);
  rocktune_detach(nullptr);
}

TEST_CASE("texts are cut to the buffer, and their whole length is told") {
  std::array<char, 8> text{};
  const auto length = rocktune_status(text.data(), text.size());
  CHECK(length > text.size());
  CHECK(std::string(text.data()).size() == text.size() - 1);
  std::string whole(length + 1, '?');
  CHECK(rocktune_status(whole.data(), whole.size()) == length);
  CHECK(whole.starts_with(text.data()));
  CHECK(whole.back() == '\0');
}

TEST_CASE("every result is explained") {
  for (const auto result : {ROCKTUNE_OK, ROCKTUNE_INVALID, ROCKTUNE_NOT_ATTACHED,
                            ROCKTUNE_INCOMPATIBLE, ROCKTUNE_FAILED}) {
    CHECK_FALSE(std::string(rocktune_explain(result)).empty());
  }
}

}  // namespace
}  // namespace rocktune::agent
