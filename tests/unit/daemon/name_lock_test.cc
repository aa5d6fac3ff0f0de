// One rocktuned of a name in a directory of agents.
#include "daemon/name_lock.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;

namespace {

// Another process that has it, until it is killed.
class NamedDaemon {
 public:
  NamedDaemon(const std::string& directory, const std::string& name) {
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::alarm(60);  // nor does it outlive a test that dies
      const auto lock = NameLock::take(directory, name);
      const char said = lock ? 'y' : 'n';
      if (::write(ready[1], &said, 1) == 1) ::pause();
      ::_exit(0);
    }
    char said = 0;
    CHECK(::read(ready[0], &said, 1) == 1);
    CHECK(said == 'y');
    for (const int fd : ready) ::close(fd);
  }
  ~NamedDaemon() { kill(); }
  NamedDaemon(const NamedDaemon&) = delete;
  NamedDaemon& operator=(const NamedDaemon&) = delete;
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("a name is one daemon's, until it ends however it does", "[daemon][name_lock]") {
  const test::TempTree tree;
  const std::string here = tree.path(""), elsewhere = tree.path("elsewhere");
  std::filesystem::create_directory(elsewhere);
  NamedDaemon other(here, "of/any name");
  const auto second = NameLock::take(here, "of/any name");
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::kConflict);
  CHECK(second.error().message.find("(pid " + std::to_string(other.pid()) + ") is called") !=
        std::string::npos);
  CHECK(NameLock::take(here, "another"));
  CHECK(NameLock::take(elsewhere, "of/any name"));
  other.kill();
  CHECK(NameLock::take(here, "of/any name"));
}

TEST_CASE("a name is let go of where its daemon has another", "[daemon][name_lock]") {
  const test::TempTree tree;
  const std::string here = tree.path(""), elsewhere = tree.directory("elsewhere");
  auto lock = NameLock::take(here, "one").value();
  CHECK(lock.is_in(here, "one"));
  CHECK(lock.is_in(elsewhere + "/..", "one"));
  CHECK_FALSE(lock.is_in(elsewhere, "one"));
  CHECK_FALSE(lock.is_in(here, "another"));
  lock = NameLock::take(elsewhere, "one").value();
  CHECK(lock.is_in(elsewhere, "one"));
  const NamedDaemon left(here, "one");
}

TEST_CASE("where nobody can lock a name nobody is said to have it", "[daemon][name_lock]") {
  const test::TempTree tree;
  const auto none = NameLock::take(tree.path("nowhere"), "rocktuned");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kIo);
  CHECK(none.error().message.find("would not be noticed") != std::string::npos);
}

TEST_CASE("nobody else keeps a daemon from its name", "[daemon][name_lock]") {
  if (::geteuid() != 0) {
    WARN("skipped: another user's files need root");
    return;
  }
  const test::TempTree tree;
  REQUIRE(::chmod(tree.path("").c_str(), 01777) == 0);
  const std::string path = tree.file("rocktuned.0.lock", "theirs");
  REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
  CHECK(NameLock::take(tree.path(""), "rocktuned"));
  struct stat info{};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK(info.st_uid == 0);
  CHECK(info.st_size == 0);

  // Where what is theirs cannot be taken away, as nobody but root can in such a directory.
  REQUIRE(::chmod(tree.path("").c_str(), 0755) == 0);
  const NamedDaemon held(tree.path(""), "rocktuned");
  REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
  const auto unknown = NameLock::take(tree.path(""), "rocktuned");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::kIo);
  CHECK(unknown.error().message.find("it is no file of this user (uid 65534): remove it") !=
        std::string::npos);
}
