#include "tests/support/memory_directory.h"

#include <sys/wait.h>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune::tests;

TEST_CASE("who made a directory of the stress tests", "[files]") {
  CHECK(maker_of("rocktune-x.123.Ab3dEf", "rocktune-x") == 123);
  for (const char* other :
       {"rocktune-x.Ab3dEf", "rocktune-x.123", "rocktune-xy.123.Ab3dEf", "x",
        "rocktune-x.12a.Ab3dEf", "rocktune-x.-1.Ab3dEf", "rocktune-x..Ab3dEf"}) {
    INFO(other);
    CHECK(maker_of(other, "rocktune-x") == 0);
  }
}

TEST_CASE("what a killed stress test left is removed, and nothing else", "[files]") {
  const TempDirectory parent;
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  REQUIRE(::waitpid(gone, nullptr, 0) == gone);
  const auto make = [&](const std::string& name) {
    std::filesystem::create_directory(parent.file(name));
    return parent.write(name + "/file", "content");
  };
  const std::string dead = std::to_string(gone);
  const std::string left = make("rocktune-x." + dead + ".aaaaaa");
  const std::string running = make("rocktune-x." + std::to_string(::getpid()) + ".aaaaaa");
  const std::string other = make("rocktune-y." + dead + ".aaaaaa");
  const std::string locked = make("rocktune-x." + dead + ".bbbbbb");
  const std::string linked = make("elsewhere");
  std::filesystem::create_directory_symlink(parent.file("elsewhere"),
                                            parent.file("rocktune-x." + dead + ".cccccc"));
  const int fd = ::open(parent.file("rocktune-x." + dead + ".bbbbbb").c_str(), O_RDONLY);
  REQUIRE(::flock(fd, LOCK_EX) == 0);
  remove_abandoned(parent.path(), "rocktune-x");
  ::close(fd);
  CHECK_FALSE(std::filesystem::exists(parent.file("rocktune-x." + dead + ".aaaaaa")));
  for (const auto& kept : {running, other, locked, linked}) {
    CHECK(std::filesystem::exists(kept));
  }
}
