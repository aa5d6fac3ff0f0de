#include "agent/socket_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

namespace rocktune::agent {
namespace {

namespace fs = std::filesystem;
using tests::TempDirectory;

constexpr pid_t kPid = 4321;
constexpr pid_t kDead = 2147483000;  // above any pid_max

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::close(fd);
  return result;
}

TEST_CASE("the socket is its owner's alone and goes away") {
  const TempDirectory root;
  const auto file = SocketFile::listen(root.file("new"), kPid);
  REQUIRE(file.has_value());
  CHECK(file->path() == root.file("new/agent.4321.sock"));
  struct stat info{};
  REQUIRE(::lstat(file->path().c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
  REQUIRE(::stat(root.file("new").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK(connect_to(file->path()) == 0);
  file->remove();
  CHECK_FALSE(fs::exists(file->path()));
  ::close(file->descriptor());
}

TEST_CASE("a socket whose file was removed listens again, where its directory is there") {
  const TempDirectory root;
  auto file = SocketFile::listen(root.file("new"), kPid);
  REQUIRE(file.has_value());
  const int before = file->descriptor();
  CHECK_FALSE(file->is_gone());
  CHECK_FALSE(file->listen_again());  // its own is in the way
  fs::remove_all(root.file("new"));
  CHECK(file->is_gone());
  const auto nowhere = file->listen_again();
  REQUIRE_FALSE(nowhere);
  CHECK_THAT(nowhere.error(), Catch::Matchers::Contains("is not there"));
  fs::create_directory(root.file("new"));
  CHECK(::chmod(root.file("new").c_str(), 0777) == 0);
  CHECK_FALSE(file->listen_again());  // others could replace it
  CHECK(file->descriptor() == before);
  CHECK(::chmod(root.file("new").c_str(), 0700) == 0);
  REQUIRE(file->listen_again());
  CHECK(file->descriptor() != before);
  ::close(before);
  CHECK_FALSE(file->is_gone());
  CHECK(connect_to(file->path()) == 0);
  file->remove();
  CHECK_FALSE(fs::exists(file->path()));
  ::close(file->descriptor());
}

TEST_CASE("a directory is created only below one that exists") {
  const TempDirectory root;
  const auto file = SocketFile::listen(root.file("a/b"), kPid);
  REQUIRE_FALSE(file.has_value());
  CHECK_THAT(file.error(), Catch::Matchers::Contains("cannot be created"));
  std::ofstream(root.file("plain")) << "x";
  CHECK_THAT(SocketFile::listen(root.file("plain"), kPid).error(),
             Catch::Matchers::Contains("not a directory"));
}

TEST_CASE("what lies at the path already is neither followed nor overwritten") {
  const TempDirectory root;
  const std::string path = root.file("agent.4321.sock");
  std::ofstream(root.file("precious")) << "data";
  fs::create_symlink(root.file("precious"), path);
  CHECK_FALSE(SocketFile::listen(root.path(), kPid).has_value());
  CHECK(fs::is_symlink(path));
  CHECK(fs::file_size(root.file("precious")) == 4);
  fs::remove(path);
  std::ofstream(path) << "data";
  CHECK_FALSE(SocketFile::listen(root.path(), kPid).has_value());
  CHECK(fs::file_size(path) == 4);
  fs::remove(path);
  fs::create_symlink(root.file("nowhere"), path);
  CHECK_FALSE(SocketFile::listen(root.path(), kPid).has_value());
  CHECK_FALSE(fs::exists(root.file("nowhere")));
}

TEST_CASE("a socket at which somebody listens is left alone, an abandoned one is replaced") {
  const TempDirectory root;
  const auto first = SocketFile::listen(root.path(), kPid);
  REQUIRE(first.has_value());
  const auto second = SocketFile::listen(root.path(), kPid);
  REQUIRE_FALSE(second.has_value());
  CHECK_THAT(second.error(), Catch::Matchers::Contains("agent.4321.sock"));
  ::close(first->descriptor());  // as if the process had died
  const auto third = SocketFile::listen(root.path(), kPid);
  REQUIRE(third.has_value());
  CHECK(connect_to(third->path()) == 0);
  ::close(third->descriptor());
  fs::remove(third->path());
  std::ofstream(third->path()) << "somebody's";
  third->remove();  // not its file any more
  CHECK(fs::exists(third->path()));
}

TEST_CASE("sockets of dead processes are removed, nothing else is") {
  const TempDirectory root;
  const auto dead = SocketFile::listen(root.path(), kDead);
  const auto answering = SocketFile::listen(root.path(), kDead + 1);
  const auto alive = SocketFile::listen(root.path(), ::getpid());
  REQUIRE((dead && answering && alive));
  ::close(dead->descriptor());
  ::close(alive->descriptor());
  std::ofstream(root.file("agent.2147483002.sock")) << "a file";
  std::ofstream(root.file("agent.x.sock")) << "a file";
  const auto file = SocketFile::listen(root.path(), kPid);
  REQUIRE(file.has_value());
  CHECK_FALSE(fs::exists(dead->path()));
  CHECK(fs::exists(answering->path()));  // lives in another PID namespace
  CHECK(fs::exists(alive->path()));      // its number is in use
  CHECK(fs::exists(root.file("agent.2147483002.sock")));
  CHECK(fs::exists(root.file("agent.x.sock")));
  ::close(answering->descriptor());
  ::close(file->descriptor());
}

TEST_CASE("a directory where others could replace the socket is refused") {
  const TempDirectory root;
  REQUIRE(::chmod(root.path().c_str(), 0777) == 0);
  CHECK_THAT(SocketFile::listen(root.path(), kPid).error(),
             Catch::Matchers::Contains("written by everybody"));
  REQUIRE(::chmod(root.path().c_str(), 0770) == 0);
  CHECK_THAT(SocketFile::listen(root.path(), kPid).error(),
             Catch::Matchers::Contains("written by its group"));
  REQUIRE(::chmod(root.path().c_str(), 01777) == 0);  // as /tmp is
  const auto file = SocketFile::listen(root.path(), kPid);
  REQUIRE(file.has_value());
  ::close(file->descriptor());
  CHECK_THAT(SocketFile::listen("relative", kPid).error(),
             Catch::Matchers::Contains("must begin with /"));
}

TEST_CASE("a directory that belongs to another user, or is another user's link, is refused") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give a directory to another user");
    return;
  }
  constexpr uid_t kOther = 65534;
  const TempDirectory root;
  fs::create_directory(root.file("mine"));
  fs::create_symlink(root.file("mine"), root.file("link"));
  CHECK(SocketFile::listen(root.file("link"), kPid).has_value());  // root's own link
  REQUIRE(::lchown(root.file("link").c_str(), kOther, kOther) == 0);
  CHECK_THAT(SocketFile::listen(root.file("link"), kPid + 1).error(),
             Catch::Matchers::Contains("symbolic link of another user"));
  REQUIRE(::chown(root.file("mine").c_str(), kOther, kOther) == 0);
  CHECK_THAT(SocketFile::listen(root.file("mine"), kPid + 1).error(),
             Catch::Matchers::Contains("belongs to another user"));
  CHECK_FALSE(fs::exists(root.file("mine/agent.4322.sock")));
}

TEST_CASE("a path that does not fit a socket's address is refused") {
  const TempDirectory root;
  CHECK_FALSE(SocketFile::listen(root.file(std::string(100, 'd')), kPid).has_value());
}

TEST_CASE("this user is trusted") {
  int pair[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  CHECK(peer_is_trusted(pair[0]));
  ::close(pair[0]);
  ::close(pair[1]);
  CHECK_FALSE(peer_is_trusted(pair[0]));
}

}  // namespace
}  // namespace rocktune::agent
