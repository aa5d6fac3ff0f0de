#include "daemon/agents/peer_process.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;

namespace {

constexpr uid_t kAlice = 70001;
constexpr uid_t kMallory = 70002;

int listen_at(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(fd, 1) == 0);
  return fd;
}

int connect_to(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

}  // namespace

TEST_CASE("the kernel says who listens", "[daemon][peer]") {
  const test::TempTree tree;
  const std::string path = tree.path("agent.7.sock");
  const int server = listen_at(path);
  const auto entry = SocketEntry::open(path);
  REQUIRE(entry);
  CHECK(entry->owner() == ::geteuid());
  // The name may be taken by something else meanwhile: the socket looked at is the one reached.
  REQUIRE(::rename(path.c_str(), tree.path("moved").c_str()) == 0);
  const int client = connect_to(entry->address());
  const auto peer = peer_process(client);
  REQUIRE(peer);
  CHECK(peer->user == ::geteuid());
  CHECK(peer->pid == ::getpid());
  CHECK(check_user(*peer, entry->owner()));
  CHECK(check_pid(*peer, ::getpid(), ::getpid()));
  ::close(client);
  ::close(server);
}

TEST_CASE("links and files are no sockets", "[daemon][peer]") {
  const test::TempTree tree;
  const int server = listen_at(tree.path("real"));
  tree.link("agent.7.sock", tree.path("real"));
  tree.file("agent.8.sock", "");
  CHECK_FALSE(SocketEntry::open(tree.path("agent.7.sock")));
  CHECK_FALSE(SocketEntry::open(tree.path("agent.8.sock")));
  CHECK_FALSE(SocketEntry::open(tree.path("agent.9.sock")));
  ::close(server);
}

TEST_CASE("a socket of one user at which another listens is not trusted", "[daemon][peer]") {
  CHECK(check_user({kAlice, 1}, kAlice));
  CHECK(check_user({0, 1}, kAlice));
  CHECK(check_user({::geteuid(), 1}, kAlice));
  const auto refused = check_user({kMallory, 1}, kAlice);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kPermission);
  CHECK(refused.error().message.find("70002") != std::string::npos);
}

TEST_CASE("the pid must be the listener's", "[daemon][peer]") {
  const test::TempTree tree;
  tree.file("500/status", "Name:\thost\nNSpid:\t500\t17\t3\nThreads:\t1\n");
  tree.file("600/status", "Name:\thost\nNSpid:\t600\n");
  tree.file("700/status", "Name:\thost\n");
  const std::string proc = tree.path();
  CHECK(check_pid({kAlice, 600}, 600, 600, proc));
  CHECK_FALSE(check_pid({kAlice, 600}, 600, 601, proc));  // another name
  CHECK_FALSE(check_pid({kAlice, 600}, 42, 42, proc));    // somebody else's pid
  CHECK(check_pid({kAlice, 500}, 3, 3, proc));            // a container's own number
  CHECK_FALSE(check_pid({kAlice, 500}, 17, 17, proc));    // not its innermost one
  CHECK_FALSE(check_pid({kAlice, 700}, 3, 3, proc));
  CHECK_FALSE(check_pid({kAlice, 800}, 3, 3, proc));  // gone meanwhile
  CHECK(check_pid({kAlice, 0}, 3, 3, proc));          // a namespace that cannot be seen
  CHECK_FALSE(check_pid({kAlice, 0}, 3, 4, proc));
}

TEST_CASE("a pid of another machine's /proc is believed only of the same process",
          "[daemon][peer]") {
  const test::TempTree tree;
  const std::string users = "Uid:\t70001\t70001\t70001\t70001\n";
  tree.file("1/status", "Name:\tsystemd\nUid:\t0\t0\t0\t0\nNSpid:\t1\n");
  tree.file("600/status", "Name:\torders db\n" + users + "NSpid:\t600\n");
  tree.file("700/status", "Name:\torders db\n" + users + "NSpid:\t700\t3\n");
  const std::string proc = tree.path();
  CHECK(find_in(proc, 600, "orders db", kAlice) == 600);
  CHECK(find_in(proc, 600, "orders db", kMallory) == 0);
  CHECK(find_in(proc, 600, "orders", kAlice) == 0);
  CHECK(find_in(proc, 700, "orders db", kAlice) == 0);  // its own number is another one
  CHECK(find_in(proc, 1, "orders db", 0) == 0);         // a container's first process is no init
  CHECK(find_in(proc, 800, "orders db", kAlice) == 0);
}

TEST_CASE("another user's database cannot be claimed", "[daemon][peer]") {
  const test::TempTree tree;
  tree.file("db/CURRENT", "MANIFEST-000005\n");  // this user's
  CHECK(check_database(::geteuid(), tree.path("db")));
  CHECK(check_database(0, tree.path("db")));
  CHECK(check_database(kMallory, tree.path("elsewhere")));
  const auto refused = check_database(kMallory, tree.path("db"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kPermission);
}
