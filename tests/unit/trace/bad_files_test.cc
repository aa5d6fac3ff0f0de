// Files that are no trace, or no longer one: one clear error each.
#include <sqlite3.h>
#include <unistd.h>

#include <fstream>

#include "support.h"
#include "trace/reader.h"

using namespace rocktune;
using namespace rocktune::trace;
using namespace rocktune::trace::test;

namespace {

std::string write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

// A trace of 300 samples.
std::string good_trace(const TempDirectory& directory) {
  const std::string path = directory.file("good.sqlite");
  auto recorder = checked(Recorder::create(path, run_info(), {}));
  const auto target = checked(recorder.add_target(target_info("a")));
  RandomSamples random(9);
  for (int i = 0; i < 300; ++i) checked(recorder.add_sample(target, random.next()));
  checked(recorder.commit());
  return path;
}

Error open_error(const std::string& path) {
  const auto reader = Reader::open(path);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().message.find(path) != std::string::npos);
  CHECK(reader.error().message.find('\n') == std::string::npos);
  return reader.error();
}

bool says(const Error& error, const std::string& text) {
  INFO(error.message);
  return error.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("what is no trace is told apart", "[trace]") {
  const TempDirectory directory;
  CHECK(open_error(directory.file("none")).code == ErrorCode::kNotFound);
  CHECK(says(open_error(directory.path().string()), "no regular file"));
  CHECK(says(open_error(write_file(directory.file("empty"), "")), "is empty"));
  CHECK(says(open_error(write_file(directory.file("text"), "2026/01/31 options\n")), "no trace"));
  CHECK(says(open_error(write_file(directory.file("tiny"), "SQLite")), "no trace"));
  CHECK_FALSE(
      Reader::open(write_file(directory.file("head"), std::string("SQLite format 3\0", 16))));

  const std::string foreign = directory.file("foreign.sqlite");
  run_sql(foreign, "CREATE TABLE t (a); INSERT INTO t VALUES (1);");
  CHECK(says(open_error(foreign), "not written by rocktune"));
}

TEST_CASE("a newer schema is refused with both numbers", "[trace]") {
  const TempDirectory directory;
  const std::string path = good_trace(directory);
  run_sql(path, "PRAGMA user_version = 99");
  const Error error = open_error(path);
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK(says(error, "schema 99, this one reads 4"));
}

TEST_CASE("a trace cut short anywhere is an error, never a crash", "[trace]") {
  const TempDirectory directory;
  const std::string path = good_trace(directory);
  const auto size = std::filesystem::file_size(path);
  for (const std::uintmax_t keep : {size - 1, size - 5000, size / 2, std::uintmax_t{4096},
                                    std::uintmax_t{600}, std::uintmax_t{100}, std::uintmax_t{17}}) {
    std::filesystem::resize_file(path, keep);
    INFO("cut to " << keep << " of " << size);
    CHECK(open_error(path).code == ErrorCode::kCorrupt);
  }
}

TEST_CASE("damage within a trace is an error of the stream, never a crash", "[trace]") {
  const TempDirectory directory;
  const std::string path = good_trace(directory);
  std::string content(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(content.data(), static_cast<long>(content.size()));
  std::mt19937 random(4);
  int failed = 0;
  for (int round = 0; round < 60; ++round) {
    std::string damaged = content;
    for (int i = 0; i < 200; ++i) {
      damaged[100 + random() % (damaged.size() - 100)] = static_cast<char>(random());
    }
    auto reader = Reader::open(write_file(directory.file("damaged"), damaged));
    if (!reader) {
      ++failed;
      continue;
    }
    (void)reader->targets();
    auto steps = reader->steps(1);
    if (!steps) continue;
    while (true) {
      const auto step = steps->next();
      if (!step) ++failed;
      if (!step || !*step) break;
    }
  }
  CHECK(failed > 30);
}

TEST_CASE("odd names are opened as they are", "[trace]") {
  const TempDirectory directory;
  const std::string path = good_trace(directory);
  for (const char* name : {"with space", "100%25 ?mode=rwc#x", "\xc3\xa4"}) {
    std::filesystem::copy_file(path, directory.file(name));
    CHECK(Reader::open(directory.file(name)));
  }
}

TEST_CASE("a trace in a directory that cannot be written", "[trace]") {
  if (::geteuid() == 0) {
    WARN("skipped: root may write everywhere");
    return;
  }
  const TempDirectory directory;
  const std::string path = good_trace(directory);
  std::filesystem::permissions(
      directory.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  CHECK(Reader::open(path));
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
  write_file(path + "-wal", std::string(100, 'x'));
  std::filesystem::permissions(
      directory.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  CHECK_FALSE(Reader::open(path));
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
}
