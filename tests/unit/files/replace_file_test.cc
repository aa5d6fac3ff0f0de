#include "files/replace_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "files/text_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune;

TEST_CASE("a file is replaced whole", "[files]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("x");
  REQUIRE(replace_file(path, "one").has_value());
  REQUIRE(replace_file(path, "").has_value());
  REQUIRE(replace_file(path, std::string(100'000, 'y')).has_value());
  CHECK(read_text_file(path) == std::string(100'000, 'y'));
  CHECK_FALSE(std::filesystem::exists(path + kBeside));
}

TEST_CASE("what cannot be replaced stays, and the reason is said", "[files]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("x");
  std::filesystem::create_directory(path);  // a file cannot take a directory's place
  const auto onto_directory = replace_file(path, "text");
  REQUIRE_FALSE(onto_directory.has_value());
  CHECK(onto_directory.error().message.find(path) == 0);
  CHECK_FALSE(std::filesystem::exists(path + kBeside));

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

TEST_CASE("what somebody laid in a file's way gives way, unopened", "[files]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("x");
  const std::string other = directory.file("other"), beside = path + kBeside;
  REQUIRE(replace_file(other, "theirs").has_value());
  SECTION("a link") {
    REQUIRE(::symlink(other.c_str(), beside.c_str()) == 0);
  }
  SECTION("a pipe, which nobody reads") {
    REQUIRE(::mkfifo(beside.c_str(), 0600) == 0);
  }
  SECTION("a file that cannot be written") {
    REQUIRE(replace_file(beside, "theirs").has_value());
    REQUIRE(::chmod(beside.c_str(), 0) == 0);
  }
  REQUIRE(replace_file(path, "ours").has_value());
  CHECK(read_text_file(path) == "ours");
  CHECK_FALSE(std::filesystem::is_symlink(path));
  CHECK(read_text_file(other) == "theirs");
  CHECK_FALSE(std::filesystem::exists(beside));
}
