#include "tools/sweep_file.h"

#include <fstream>
#include <sstream>

#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

const SweepFile::Keys kThreeKeys = {{1, "aa"}, {2, "bb"}, {3, "cc"}};

std::string result_line(std::size_t unit, const std::string& key) {
  return "{\"unit\":" + std::to_string(unit) + ",\"key\":\"" + key + "\"}";
}

SweepFile open_three(const std::string& path, bool fresh = false) {
  auto file = SweepFile::open(path, kThreeKeys, fresh);
  if (!file) FAIL(file.error().message);
  return *std::move(file);
}

void put_line(SweepFile& file, std::size_t unit) {
  const auto put = file.append(unit, result_line(unit, kThreeKeys.at(unit)));
  if (!put) FAIL(put.error().message);
}

std::string bytes_in(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("lines come in any order and end in theirs", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  {
    SweepFile file = open_three(path);
    put_line(file, 3);
    put_line(file, 1);
  }
  CHECK_FALSE(std::filesystem::exists(path));
  // A process that was killed while it wrote.
  std::ofstream(path + ".partial", std::ios::app) << R"({"unit":2,"key":"b)";
  SweepFile file = open_three(path);
  CHECK(file.done() == 2);
  CHECK(file.has(1));
  CHECK_FALSE(file.has(2));
  put_line(file, 2);
  REQUIRE(file.finish());
  const std::string whole =
      result_line(1, "aa") + "\n" + result_line(2, "bb") + "\n" + result_line(3, "cc") + "\n";
  CHECK(bytes_in(path) == whole);
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  CHECK(file.lines().size() == 3);

  SweepFile again = open_three(path);  // all is done
  CHECK(again.done() == 3);
  REQUIRE(again.finish());
  CHECK(bytes_in(path) == whole);
}

TEST_CASE("what is of another sweep is not gone on with", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  for (const std::string& bad :
       {result_line(1, "xx"), result_line(4, "aa"), std::string("{}"), std::string("no JSON"),
        std::string("[1]"), std::string(R"({"unit":-1,"key":"aa"})")}) {
    for (const char* ending : {"", ".partial"}) {
      INFO(bad << ending);
      CHECK(directory.write("result.jsonl" + std::string(ending),
                            result_line(2, "bb") + "\n" + bad + "\n") == path + ending);
      const auto refused = SweepFile::open(path, kThreeKeys, false);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::kConflict);
      CHECK(contains(refused.error().message, path + ending + ":2: "));
      CHECK(contains(refused.error().message, "--fresh"));
      {
        SweepFile fresh = open_three(path, true);
        CHECK(fresh.done() == 0);
      }
      // Nothing was written, so nothing is left.
      CHECK_FALSE(std::filesystem::exists(path));
      CHECK_FALSE(std::filesystem::exists(path + ".partial"));
    }
  }
}

TEST_CASE("one sweep writes a result at a time", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  const SweepFile file = open_three(path);
  const auto second = SweepFile::open(path, kThreeKeys, false);
  REQUIRE_FALSE(second);
  CHECK(contains(second.error().message, "another sweep"));
  const auto nowhere = SweepFile::open(directory.file("no/such"), kThreeKeys, false);
  REQUIRE_FALSE(nowhere);
  CHECK(contains(nowhere.error().message, "no/such.partial: cannot be written"));
}
