#include "files/agent_sockets.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "tests/support/unix_socket.h"

using namespace rocktune;

TEST_CASE("names of agent sockets", "[files]") {
  CHECK(pid_of_socket("agent.123.sock") == 123);
  for (const char* other : {"agent..sock", "agent.0.sock", "agent.12x.sock", "agent.-1.sock",
                            "agent.123.sock.tmp", "rocktuned.sock", "agent.99999999999.sock", ""}) {
    INFO(other);
    CHECK(pid_of_socket(other) == 0);
  }
}

TEST_CASE("only sockets count, and a missing directory has none", "[files]") {
  const tests::TempDirectory tree;
  static_cast<void>(tree.write("agent.5.sock", "not a socket"));
  std::filesystem::create_symlink(tree.file("agent.7.sock"), tree.file("agent.8.sock"));
  const std::string path = tree.file("agent.7.sock");
  const tests::UnixSocket listener(path, tests::UnixSocket::End::kListens);
  const auto found = list_agents(tree.path().string());
  REQUIRE(found);
  REQUIRE(found->sockets.size() == 1);
  CHECK(found->sockets.front().pid == 7);
  CHECK(found->sockets.front().path == path);
  CHECK(found->too_many.empty());
  CHECK(list_agents(tree.path().string(), 7)->sockets.size() == 1);
  CHECK(list_agents(tree.path().string(), 8)->sockets.empty());
  CHECK(list_agents(tree.file("nowhere"))->sockets.empty());
  CHECK_FALSE(list_agents(tree.file("agent.5.sock")));
}

TEST_CASE("one user's sockets do not crowd out the others'", "[files]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give files away");
    return;
  }
  const tests::TempDirectory tree;
  constexpr std::size_t kMany = kMostSocketsOfUser + 10;
  for (std::size_t pid = 1; pid <= kMany + 1; ++pid) {
    const std::string path = tree.file("agent." + std::to_string(pid) + ".sock");
    REQUIRE(::mknod(path.c_str(), S_IFSOCK | 0600, 0) == 0);
    REQUIRE(::chown(path.c_str(), pid <= kMany ? 70001 : 70002, 0) == 0);
  }
  const auto found = list_agents(tree.path().string());
  REQUIRE(found);
  CHECK(found->sockets.size() == kMostSocketsOfUser + 1);
  CHECK(std::count_if(found->sockets.begin(), found->sockets.end(),
                      [](const AgentSocket& s) { return s.owner == 70002; }) == 1);
  CHECK(list_agents(tree.path().string(), kMany)->sockets.size() == 1);  // one that is asked for
  CHECK(found->too_many == std::map<uid_t, std::size_t>{{70001, kMany}});
}

TEST_CASE("a directory full of sockets is not read as a whole", "[files]") {
  const tests::TempDirectory tree;
  const auto make = [&](std::int64_t pid) {
    const std::string path = tree.file("agent." + std::to_string(pid) + ".sock");
    REQUIRE(::mknod(path.c_str(), S_IFSOCK | 0600, 0) == 0);
    return path;
  };
  const auto finds = [&](const std::string& path) {
    const auto found = list_agents(tree.path().string());
    REQUIRE(found);
    CHECK(found->sockets.size() >= kMostNamesRead - 3);  // "." and ".." may be among the names
    CHECK(found->sockets.size() <= kMostNamesRead + 1);
    return std::count_if(found->sockets.begin(), found->sockets.end(),
                         [&](const AgentSocket& socket) { return socket.path == path; }) == 1;
  };
  // A running process's is found, made before the others or after them.
  constexpr std::int64_t kNobody = std::int64_t{1} << 30;  // above every pid
  const std::string running = make(::getpid());
  for (std::size_t i = 0; i < kMostNamesRead + 10; ++i) {
    static_cast<void>(make(kNobody + static_cast<std::int64_t>(i)));
  }
  CHECK(finds(running));
  REQUIRE(::unlink(running.c_str()) == 0);
  CHECK(finds(make(::getpid())));
  const std::int64_t asked_for = kNobody + static_cast<std::int64_t>(kMostNamesRead);
  CHECK(list_agents(tree.path().string(), asked_for)->sockets.size() == 1);
}
