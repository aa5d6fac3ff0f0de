#include "tools/sweep_file.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

const SweepFile::Units kThreeKeys = {{1, {"aa", "t"}}, {2, {"bb", "t"}}, {3, {"cc", "t"}}};

std::string result_line(std::size_t unit, const std::string& key, const std::string& error = "null",
                        const std::string& trace = "t") {
  return R"({"schema":"rocktune-sweep/1","unit":)" + std::to_string(unit) + R"(,"key":")" + key +
         R"(","trace":")" + trace + R"(","error":)" + error + "}";
}

using Before = SweepFile::Before;

Before before(bool fresh) {
  return fresh ? Before::kRemove : Before::kKeepGood;
}

SweepFile open_three(const std::string& path, bool fresh = false) {
  auto file = SweepFile::open(path, kThreeKeys, before(fresh));
  if (!file) FAIL(file.error().message);
  return *std::move(file);
}

void put_line(SweepFile& file, std::size_t unit) {
  const auto put = file.append(unit, result_line(unit, kThreeKeys.at(unit).key));
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
  std::ofstream(path + ".partial", std::ios::app) << R"({"schema":"rocktune-sw)";
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

TEST_CASE("a unit that failed is tried again", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  {
    SweepFile file = open_three(path);
    put_line(file, 1);
    REQUIRE(file.append(2, result_line(2, "bb", R"("no memory")")));
    CHECK(file.done() == 2);  // of this time
  }
  {
    SweepFile file = open_three(path);
    CHECK(file.has(1));
    CHECK_FALSE(file.has(2));
    REQUIRE(file.append(2, result_line(2, "bb", R"("no memory still")")));
    put_line(file, 3);
    REQUIRE(file.finish());
  }
  CHECK(bytes_in(path) == result_line(1, "aa") + "\n" +
                              result_line(2, "bb", R"("no memory still")") + "\n" +
                              result_line(3, "cc") + "\n");
  {
    auto all = SweepFile::open(path, kThreeKeys, Before::kKeepAll);
    REQUIRE(all);
    CHECK(all->done() == 3);
  }
  SweepFile file = open_three(path);
  CHECK(file.done() == 2);
  put_line(file, 2);
  REQUIRE(file.finish());
  CHECK(contains(bytes_in(path), result_line(2, "bb")));
}

TEST_CASE("traces that lie otherwise to each other would have other names", "[sweep]") {
  const TempDirectory directory;
  const std::string path =
      directory.write("result.jsonl.partial", result_line(1, "aa", "null", "old/t") + "\n");
  const auto refused =
      SweepFile::open(directory.file("result.jsonl"), kThreeKeys, Before::kKeepGood);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kConflict);
  CHECK(contains(refused.error().message, path + ":1: trace t was called otherwise"));
  CHECK(contains(refused.error().message, "--fresh"));
}

TEST_CASE("a sweep of a trace whose name is no UTF-8 goes on", "[sweep]") {
  const TempDirectory directory;
  const std::string result = directory.file("result.jsonl");
  static_cast<void>(directory.write("result.jsonl.partial",
                                    result_line(1, "aa", "null", "t\xef\xbf\xbd") + "\n"));
  const auto file = SweepFile::open(result, {{1, {"aa", "t\xff"}}}, Before::kKeepGood);
  REQUIRE(file);
  CHECK(file->has(1));
}

TEST_CASE("what is of another sweep is not gone on with", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  const std::string head = R"({"schema":"rocktune-sweep/)";
  for (const std::string& bad :
       {result_line(1, "xx"), result_line(4, "aa"), head + R"(9"})", head,
        head + R"(1","unit":-1,"key":"aa","error":null})",
        head + R"(1","unit":1,"key":"aa"})"}) {  // listed only: it has no figures
    for (const char* ending : {"", ".partial"}) {
      INFO(bad << ending);
      CHECK(directory.write("result.jsonl" + std::string(ending),
                            result_line(2, "bb") + "\n" + bad + "\n") == path + ending);
      const auto refused = SweepFile::open(path, kThreeKeys, Before::kKeepGood);
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

TEST_CASE("what is no file of a sweep stays as it is, fresh or not", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  const std::string sound = result_line(1, "aa") + "\n";
  for (const std::string& bad :
       {std::string("rung: closed_loop\n"), std::string("SQLite format 3\0binary", 22),
        std::string("\n"), std::string("{}"), std::string("{\"a\": 1}\n"), sound + "a note\n",
        sound + "a note", "a note\n" + sound}) {
    for (const char* ending : {"", ".partial"}) {
      for (const bool fresh : {false, true}) {
        INFO(bad << ending << fresh);
        REQUIRE(directory.write("result.jsonl" + std::string(ending), bad) == path + ending);
        const auto refused = SweepFile::open(path, kThreeKeys, before(fresh));
        REQUIRE_FALSE(refused);
        CHECK(contains(refused.error().message, path + ending + ":"));
        CHECK(contains(refused.error().message, "no result of rocktune sweep"));
        CHECK_FALSE(contains(refused.error().message, "--fresh"));
        CHECK(bytes_in(path + ending) == bad);
      }
      std::filesystem::remove(path + ending);
    }
  }
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("what is no regular file stays as it is", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  for (const char* ending : {"", ".partial"}) {
    REQUIRE(::mkfifo((path + ending).c_str(), 0600) == 0);
    const auto refused = SweepFile::open(path, kThreeKeys, Before::kRemove);
    REQUIRE_FALSE(refused);
    CHECK(contains(refused.error().message, path + ending + ": is no regular file"));
    CHECK(std::filesystem::is_fifo(path + ending));
    std::filesystem::remove(path + ending);
  }
}

TEST_CASE("an empty file is as good as none", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.write("result.jsonl", "");
  CHECK(open_three(path).done() == 0);
  CHECK(open_three(path, true).done() == 0);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("one sweep writes a result at a time", "[sweep]") {
  const TempDirectory directory;
  const std::string path = directory.file("result.jsonl");
  const SweepFile file = open_three(path);
  const auto second = SweepFile::open(path, kThreeKeys, Before::kKeepGood);
  REQUIRE_FALSE(second);
  CHECK(contains(second.error().message, "another sweep"));
  CHECK(std::filesystem::exists(path + ".partial"));  // it is the first one's
  const auto nowhere = SweepFile::open(directory.file("no/such"), kThreeKeys, Before::kKeepGood);
  REQUIRE_FALSE(nowhere);
  CHECK(contains(nowhere.error().message, "no/such.partial: cannot be written"));
}
