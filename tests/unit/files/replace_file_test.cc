#include "files/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "files/text_file.h"
#include "tests/support/catch.h"
#include "tests/support/full_disk.h"
#include "tests/support/temp_directory.h"

using namespace rocktune;

namespace {

std::set<std::string> names_in(const tests::TempDirectory& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

}  // namespace

TEST_CASE("a file is replaced whole", "[files]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("x");
  REQUIRE(replace_file(path, "one").has_value());
  REQUIRE(replace_file(path, "").has_value());
  REQUIRE(replace_file(path, std::string(100'000, 'y')).has_value());
  CHECK(read_text_file(path) == std::string(100'000, 'y'));
  CHECK(names_in(directory) == std::set<std::string>{"x"});
}

TEST_CASE("what cannot be replaced stays, and the reason is said", "[files]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("x");
  std::filesystem::create_directory(path);  // a file cannot take a directory's place
  const auto onto_directory = replace_file(path, "text");
  REQUIRE_FALSE(onto_directory.has_value());
  CHECK(onto_directory.error().message.find(path) == 0);
  CHECK(names_in(directory) == std::set<std::string>{"x"});

  const std::string pipe = directory.file("pipe"), link = directory.file("link");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(::symlink(pipe.c_str(), link.c_str()) == 0);
  for (const std::string& no_file : {pipe, link}) {
    const auto replaced = replace_file(no_file, "text");
    REQUIRE_FALSE(replaced.has_value());
    CHECK(replaced.error().code == ErrorCode::kInvalidArgument);
    CHECK(std::filesystem::is_fifo(no_file));
  }

  const auto nowhere = replace_file(directory.file("no/x"), "text");
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(nowhere.error().code == ErrorCode::kIo);
}

TEST_CASE("a file that cannot be written to its end leaves nothing", "[files]") {
  const tests::TempDirectory directory;
  const std::string path = directory.write("x", "old");
  const tests::FullDisk full(1000);
  const auto replaced = replace_file(path, std::string(10'000, 'y'));
  REQUIRE_FALSE(replaced.has_value());
  CHECK(replaced.error().message.starts_with(path + ": cannot be written: "));
  CHECK(names_in(directory) == std::set<std::string>{"x"});
  CHECK(read_text_file(path) == std::string("old"));
}

TEST_CASE("who writes a file at the same time is in nobody's way", "[files]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("x");
  std::atomic<int> failed = 0;
  const auto write = [&](char text) {
    for (int i = 0; i < 300; ++i) {
      if (!replace_file(path, std::string(5000, text), Sync::kNo)) ++failed;
    }
  };
  std::vector<std::thread> writers;
  for (const char text : {'a', 'b', 'c', 'd'}) writers.emplace_back(write, text);
  for (std::thread& writer : writers) writer.join();
  CHECK(failed == 0);
  const auto text = read_text_file(path);
  REQUIRE(text.has_value());
  CHECK(*text == std::string(5000, text->at(0)));
  CHECK(names_in(directory) == std::set<std::string>{"x"});
}

TEST_CASE("what killed writers left is taken away, and nothing else", "[files]") {
  const tests::TempDirectory directory;
  const std::string beside = std::string("x") + kBeside;
  const std::set<std::string> kept = {beside + "written", "other-" + beside + "1", "x.rocktune",
                                      beside + "link", beside + "directory"};
  for (const std::string& name : kept) {
    if (name.ends_with("link")) {
      REQUIRE(::symlink("x.rocktune", directory.file(name).c_str()) == 0);
    } else if (name.ends_with("directory")) {
      std::filesystem::create_directory(directory.file(name));
    } else {
      REQUIRE(directory.write(name, "kept") == directory.file(name));
    }
  }
  for (const char* number : {"1", "22"}) {
    REQUIRE(directory.write(beside + number, "left") == directory.file(beside + number));
  }
  const int written = ::open(directory.file(beside + "written").c_str(), O_WRONLY);
  REQUIRE(::flock(written, LOCK_EX) == 0);
  REQUIRE(replace_file(directory.file("x"), "ours").has_value());
  ::close(written);
  std::set<std::string> expected = kept;
  expected.insert("x");
  CHECK(names_in(directory) == expected);
}
