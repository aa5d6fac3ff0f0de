#include "files/make_way.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune;
namespace fs = std::filesystem;

namespace {

// As /tmp.
void open_to_all(const tests::TempDirectory& tree) {
  REQUIRE(::chmod(tree.path().c_str(), 01777) == 0);
}

}  // namespace

TEST_CASE("what a stranger put at our name gives way, whatever it is", "[files]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give files away");
    return;
  }
  const tests::TempDirectory tree;
  open_to_all(tree);
  const std::string path = tree.file("x"), other = tree.write("other", "text");
  const auto names = [&] { return std::distance(fs::directory_iterator(tree.path()), {}); };
  SECTION("nothing") {}
  SECTION("a file") {
    static_cast<void>(tree.write("x", ""));
  }
  SECTION("a link, which is not followed") {
    fs::create_symlink(other, path);
  }
  SECTION("a pipe") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  }
  SECTION("an empty directory") {
    fs::create_directory(path);
  }
  if (fs::exists(fs::symlink_status(path))) REQUIRE(::lchown(path.c_str(), 70001, 70001) == 0);
  make_way(path);
  CHECK_FALSE(fs::exists(fs::symlink_status(path)));
  CHECK(fs::file_size(other) == 4);
  CHECK(names() == 1);
}

TEST_CASE("a stranger's directory with something in it is moved aside whole", "[files]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give files away");
    return;
  }
  const tests::TempDirectory tree;
  open_to_all(tree);
  const std::string path = tree.file("x");
  for (int i = 0; i < 2; ++i) {
    fs::create_directory(path);
    static_cast<void>(tree.write("x/theirs", "text"));
    REQUIRE(::chown(path.c_str(), 70001, 70001) == 0);
    make_way(path);
    CHECK_FALSE(fs::exists(path));
  }
  std::size_t aside = 0;
  for (const auto& entry : fs::directory_iterator(tree.path())) {
    CHECK(entry.path().filename().string().starts_with("x.aside."));
    CHECK(fs::file_size(entry.path() / "theirs") == 4);
    ++aside;
  }
  CHECK(aside == 2);
}

TEST_CASE("where not everybody may write, what stands at our name is somebody's", "[files]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give files away");
    return;
  }
  const tests::TempDirectory tree;
  const std::string path = tree.file("database");
  fs::create_directory(path);
  REQUIRE(::chown(path.c_str(), 70001, 70001) == 0);
  make_way(path);
  CHECK(fs::is_directory(path));
}

TEST_CASE("what is our own, or root's, stays", "[files]") {
  const tests::TempDirectory tree;
  open_to_all(tree);
  fs::create_directory(tree.file("directory"));
  fs::create_symlink("/dev/null", tree.file("link"));
  make_way(tree.file("directory"));
  make_way(tree.file("link"));
  CHECK(fs::is_directory(tree.file("directory")));
  CHECK(fs::is_symlink(tree.file("link")));
}
