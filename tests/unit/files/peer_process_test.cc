#include "files/peer_process.h"

#include <stdlib.h>
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

// Below none that others may write to, as temporary directories are; where root may make one there.
class RootsDirectory {
 public:
  RootsDirectory() : made_(::mkdtemp(path_.data()) != nullptr) {}
  ~RootsDirectory() {
    std::error_code ignored;
    if (made_) std::filesystem::remove_all(path_, ignored);
  }
  RootsDirectory(const RootsDirectory&) = delete;
  RootsDirectory& operator=(const RootsDirectory&) = delete;

  [[nodiscard]] bool is_made() const { return made_ && ::chmod(path_.c_str(), 0755) == 0; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = "/run/rocktune-test-XXXXXX";
  bool made_;
};

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

TEST_CASE("only root and this user are rocktuned", "[files]") {
  const tests::TempDirectory tree;
  const std::string path = tree.file("rocktuned.sock");
  CHECK(check_daemon({::geteuid(), 1}, path));
  CHECK(check_daemon({0, 1}, path));
  const auto refused = check_daemon({kMallory, 1}, path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kPermission);
  CHECK(refused.error().message.find("uid " + std::to_string(kMallory) + " listens there") !=
        std::string::npos);
}

TEST_CASE("root takes the directory's owner for rocktuned where nobody else can have made it",
          "[files]") {
  if (::geteuid() != 0) return;
  const RootsDirectory tree;
  if (!tree.is_made()) return;
  const auto made = [&](const std::string& name, uid_t user, mode_t mode) {
    const std::string directory = tree.file(name);
    REQUIRE(::mkdir(directory.c_str(), 0755) == 0);
    REQUIRE(::chown(directory.c_str(), user, user) == 0);
    REQUIRE(::chmod(directory.c_str(), mode) == 0);
    return directory + "/rocktuned.sock";
  };
  CHECK(check_daemon({kAlice, 1}, made("alice", kAlice, 0755)));
  CHECK_FALSE(check_daemon({kMallory, 1}, tree.file("alice/rocktuned.sock")));
  CHECK(check_daemon({kAlice, 1}, made("alice/run", kAlice, 0700)));
  CHECK_FALSE(check_daemon({kAlice, 1}, made("open", kAlice, 01777)));
  // Of her own, but for her group, or others, to be replaced; below a third user's; by a link.
  for (const mode_t mode : {01777, 01775, 0775}) {
    const std::string name = "shared" + std::to_string(mode);
    made(name, 0, mode);
    CHECK_FALSE(check_daemon({kAlice, 1}, made(name + "/alice", kAlice, 0755)));
  }
  made("mallory", kMallory, 0755);
  CHECK_FALSE(check_daemon({kAlice, 1}, made("mallory/alice", kAlice, 0755)));
  std::filesystem::create_directory_symlink(tree.file("alice"), tree.file("link"));
  CHECK_FALSE(check_daemon({kAlice, 1}, tree.file("link/rocktuned.sock")));
  CHECK_FALSE(check_daemon({kAlice, 1}, tree.file("link/run/rocktuned.sock")));
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
