#include "files/peer_process.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "tests/support/unix_socket.h"

using namespace rocktune;
using tests::UnixSocket;

namespace {

constexpr uid_t kAlice = 70001;
constexpr uid_t kMallory = 70002;

// Writes a file below the directory, with its directories.
void write_below(const tests::TempDirectory& tree, const std::string& name,
                 const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(tree.file(name)).parent_path());
  CHECK_FALSE(tree.write(name, text).empty());
}

}  // namespace

TEST_CASE("the kernel says who listens", "[files]") {
  const tests::TempDirectory tree;
  const std::string path = tree.file("agent.7.sock");
  const UnixSocket server(path, UnixSocket::End::kListens);
  const auto entry = SocketEntry::open(path);
  REQUIRE(entry);
  CHECK(entry->owner() == ::geteuid());
  // The name may be taken by something else meanwhile: the socket looked at is the one reached.
  REQUIRE(::rename(path.c_str(), tree.file("moved").c_str()) == 0);
  const UnixSocket client(entry->address(), UnixSocket::End::kConnects);
  const auto peer = peer_process(client.descriptor());
  REQUIRE(peer);
  CHECK(peer->user == ::geteuid());
  CHECK(peer->pid == ::getpid());
  CHECK(check_user(*peer, entry->owner()));
  CHECK(check_pid(*peer, ::getpid(), ::getpid()));
}

TEST_CASE("links and files are no sockets", "[files]") {
  const tests::TempDirectory tree;
  const UnixSocket server(tree.file("real"), UnixSocket::End::kListens);
  std::filesystem::create_symlink(tree.file("real"), tree.file("agent.7.sock"));
  write_below(tree, "agent.8.sock", "");
  CHECK_FALSE(SocketEntry::open(tree.file("agent.7.sock")));
  CHECK_FALSE(SocketEntry::open(tree.file("agent.8.sock")));
  CHECK_FALSE(SocketEntry::open(tree.file("agent.9.sock")));
}

TEST_CASE("only root, this user, and for root the directory's owner are rocktuned", "[files]") {
  const tests::TempDirectory tree;
  const std::string path = tree.file("rocktuned.sock");
  CHECK(check_daemon({::geteuid(), 1}, path));
  CHECK(check_daemon({0, 1}, path));
  const auto refused = check_daemon({kMallory, 1}, path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kPermission);
  CHECK(refused.error().message.find("uid " + std::to_string(kMallory) + " listens there") !=
        std::string::npos);
  if (::geteuid() != 0) return;
  REQUIRE(::chown(tree.path().c_str(), kAlice, 0) == 0);
  CHECK(check_daemon({kAlice, 1}, path));
  CHECK_FALSE(check_daemon({kMallory, 1}, path));
  REQUIRE(::chmod(tree.path().c_str(), 01777) == 0);
  CHECK_FALSE(check_daemon({kAlice, 1}, path));
}

TEST_CASE("a socket of one user at which another listens is not trusted", "[files]") {
  CHECK(check_user({kAlice, 1}, kAlice));
  CHECK(check_user({0, 1}, kAlice));
  CHECK(check_user({::geteuid(), 1}, kAlice));
  const auto refused = check_user({kMallory, 1}, kAlice);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kPermission);
  CHECK(refused.error().message.find("70002") != std::string::npos);
}

TEST_CASE("the pid must be the listener's", "[files]") {
  const tests::TempDirectory tree;
  write_below(tree, "500/status", "Name:\thost\nNSpid:\t500\t17\t3\nThreads:\t1\n");
  write_below(tree, "600/status", "Name:\thost\nNSpid:\t600\n");
  write_below(tree, "700/status", "Name:\thost\n");
  const std::string proc = tree.path().string();
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

TEST_CASE("a pid of another machine's /proc is believed only of the same process", "[files]") {
  const tests::TempDirectory tree;
  const std::string users = "Uid:\t70001\t70001\t70001\t70001\n";
  write_below(tree, "1/status", "Name:\tsystemd\nUid:\t0\t0\t0\t0\nNSpid:\t1\n");
  write_below(tree, "600/status", "Name:\torders db\n" + users + "NSpid:\t600\n");
  write_below(tree, "700/status", "Name:\torders db\n" + users + "NSpid:\t700\t3\n");
  const std::string proc = tree.path().string();
  CHECK(find_in(proc, 600, "orders db", kAlice) == 600);
  CHECK(find_in(proc, 600, "orders db", kMallory) == 0);
  CHECK(find_in(proc, 600, "orders", kAlice) == 0);
  CHECK(find_in(proc, 700, "orders db", kAlice) == 0);  // its own number is another one
  CHECK(find_in(proc, 1, "orders db", 0) == 0);         // a container's first process is no init
  CHECK(find_in(proc, 800, "orders db", kAlice) == 0);
}

TEST_CASE("another user's database cannot be claimed", "[files]") {
  const tests::TempDirectory tree;
  write_below(tree, "db/CURRENT", "MANIFEST-000005\n");  // this user's
  CHECK(check_database(::geteuid(), tree.file("db")));
  CHECK(check_database(0, tree.file("db")));
  CHECK(check_database(kMallory, tree.file("elsewhere")));
  const auto refused = check_database(kMallory, tree.file("db"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kPermission);
}
