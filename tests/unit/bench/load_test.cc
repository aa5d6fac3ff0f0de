#include "bench/run/load.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/run/session.h"
#include "scenario/scenario.h"
#include "tests/support/catch.h"
#include "tests/support/open_database.h"
#include "tests/support/temp_directory.h"

namespace rocktune::bench {
namespace {

using Catch::Matchers::Contains;
using Files = std::map<std::string, std::string>;

class SilentWatcher : public SessionWatcher {
 public:
  void loading(const scenario::ScenarioDatabase&, std::int64_t, bool) override {}
  void loaded() override {}
  void note(const std::string&) override {}
  void second(const scenario::ScenarioDatabase&, const scenario::Phase&, const Interval&) override {
  }
};

// What `rocktune-bench load` does to the directory, with 100 records.
Result<RunResult> load_into(const std::string& path, const std::string& families = "") {
  const auto scenario = scenario::parse_scenario(
      "name: small\n"
      "databases:\n"
      "  - name: main\n"
      "    workload: {records: 100, threads: 1, phases: [{name: a, seconds: 1, workload: A}]" +
          families +
          "}\n"
          "    configuration: Baseline\n",
      "test.yaml", false);
  REQUIRE(scenario);
  SessionPlan plan{*scenario, {}, {path}, false, true};
  const std::atomic<bool> stop{false};
  SilentWatcher watcher;
  return run_session(plan, stop, watcher);
}

// A database of somebody's, with these keys by column family.
void write_keys(const std::string& path,
                const std::map<std::string, std::vector<std::string>>& keys) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const auto& [name, ignored] : keys)
    families.emplace_back(name, rocksdb::ColumnFamilyOptions());
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  REQUIRE(testing::open_database(options, path, families, &handles, &db).ok());
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    for (const std::string& key : keys.at(handle->GetName())) {
      REQUIRE(db->Put({}, handle, key, "value").ok());
    }
    REQUIRE(db->DestroyColumnFamilyHandle(handle).ok());
  }
}

Files files_of(const std::string& directory) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().string()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

void check_left_alone(const std::map<std::string, std::vector<std::string>>& keys) {
  const tests::TempDirectory directory;
  const std::string path = directory.file("db");
  write_keys(path, keys);
  const Files before = files_of(path);
  const auto refused = load_into(path);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Contains("holds keys that rocktune-bench did not write"));
  CHECK(files_of(path) == before);
}

}  // namespace

TEST_CASE("a database with somebody else's keys is refused, and not touched", "[bench][load]") {
  check_left_alone({{"default", {"user:1"}}});
  check_left_alone({{"default", {"abc"}}});
  // The records' form at one end alone.
  check_left_alone({{"default", {"user000000000001", "user000000000002", "users"}}});
  check_left_alone({{"default", {"user00000000000", "user000000000001"}}});
  check_left_alone({{"default", {}}, {"orders", {"abc"}}});
  check_left_alone({{"default", {"user000000000001"}}, {"orders", {"user000000000001", "zebra"}}});
}

TEST_CASE("a database that cannot be read is refused, and not touched", "[bench][load]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("db");
  write_keys(path, {{"default", {}}});
  std::ofstream(path + "/CURRENT") << "no manifest\n";
  const Files before = files_of(path);
  CHECK_FALSE(load_into(path));
  CHECK(files_of(path) == before);
}

TEST_CASE("what is empty or was left by a load that was stopped is loaded", "[bench][load]") {
  const tests::TempDirectory directory;
  CHECK(load_into(directory.file("new")));
  write_keys(directory.file("empty"), {{"default", {}}, {"orders", {}}});
  CHECK(load_into(directory.file("empty")));
  write_keys(directory.file("stopped"), {{"default", {"user000000000007", "user000000000042"}}});
  CHECK(load_into(directory.file("stopped")));
}

TEST_CASE("what is loaded is not written again", "[bench][load]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("db"),
                    families = ", families: [{name: a, share: 0.5}, {name: b, share: 0.5}]";
  REQUIRE(load_into(path, families));
  const Files before = files_of(path);
  CHECK(load_into(path, families));
  CHECK(files_of(path) == before);
  const auto other = load_into(path);
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message, Contains("was loaded with 100 records"));
  CHECK(files_of(path) == before);
}

}  // namespace rocktune::bench
