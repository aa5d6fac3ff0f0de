#include "tools/agents.h"

#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include "support.h"
#include "tests/support/unix_socket.h"
#include "tools/reasons.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tests::UnixSocket;
using rocktune::tools::test::contains;
using rocktune::tools::test::TempDirectory;

namespace {

// Of an agent that was killed.
std::string dead_socket(const TempDirectory& directory, int pid) {
  std::string path = directory.file("agent." + std::to_string(pid) + ".sock");
  const UnixSocket ended(path, UnixSocket::End::kListens);
  return path;
}

// Says hello as this pid, and that it has one database.
class AnsweringAgent {
 public:
  AnsweringAgent(const std::string& path, int pid)
      : socket_(path, UnixSocket::End::kListens), thread_([this, pid] { serve(pid); }) {}
  ~AnsweringAgent() {
    ::shutdown(socket_.descriptor(), SHUT_RDWR);  // ends accept()
    thread_.join();
  }
  AnsweringAgent(const AnsweringAgent&) = delete;
  AnsweringAgent& operator=(const AnsweringAgent&) = delete;

 private:
  void serve(int pid) const {
    for (;;) {
      const int client = ::accept(socket_.descriptor(), nullptr, nullptr);
      if (client < 0) return;
      std::string request(4096, '\0');
      const ssize_t got = ::recv(client, request.data(), request.size(), 0);
      const bool hello = got > 0 && contains(request, "/v1/hello");
      const std::string body = hello ? R"({"command":"host","pid":)" + std::to_string(pid) + "}"
                                     : R"({"databases":[{"id":"1","path":"/data/a"}]})";
      const std::string answer =
          "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
      ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      ::close(client);
    }
  }
  UnixSocket socket_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a database is called by its path, or by whole parts of its end", "[tools]") {
  CHECK(is_called("/data/orders", ""));
  CHECK(is_called("/data/orders", "/data/orders"));
  CHECK(is_called("/data/orders", "orders"));
  CHECK(is_called("/data/orders", "data/orders"));
  CHECK(is_called("/data/orders", "/orders"));
  CHECK_FALSE(is_called("/data/orders", "rders"));
  CHECK_FALSE(is_called("/data/orders", "data"));
  CHECK_FALSE(is_called("/data/orders", "/data/orders2"));
}

TEST_CASE("no agent is one sentence that says what to do", "[tools]") {
  const TempDirectory directory;
  AgentOptions options;
  options.directory = directory.path().string();
  const auto none = find_databases(options);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kNotFound);
  CHECK(contains(none.error().message, directory.path().string()));
  CHECK(contains(none.error().message, "rocktune run"));
  options.pid = 42;
  CHECK(contains(find_databases(options).error().message, "process 42"));

  // One that does not answer is named, and what became of its process.
  constexpr int kNoProcess = INT32_MAX;  // above any pid_max
  for (const int pid : {static_cast<int>(::getpid()), kNoProcess}) {
    options.pid = pid;
    const std::string dead = dead_socket(directory, pid);
    const std::string why = pid == kNoProcess ? "process 2147483647 is gone (killed?), nobody "
                                                "listens there: the file may be removed"
                                              : "nobody listens there";
    CHECK(find_databases(options).error().message == "agent " + dead + ": " + why);
  }
}

TEST_CASE("only what the kernel says of its listener is believed of an agent", "[tools]") {
  const TempDirectory directory;
  AgentOptions options;
  options.directory = directory.path().string();
  const int pid = GENERATE(0, 1);  // its own, as it says, or another's
  const std::string name = "agent." + std::to_string(::getpid() + pid) + ".sock";
  const AnsweringAgent agent(directory.file(name), ::getpid() + pid);
  std::filesystem::create_symlink(directory.file(name), directory.path() / "agent.3.sock");
  const auto found = find_databases(options);
  REQUIRE(found.has_value() == (pid == 0));
  if (found) {
    REQUIRE(found->databases.size() == 1);  // a link is no socket
    CHECK(found->problems.empty());
    CHECK(found->databases[0].owner == ::geteuid());
    AgentDatabase another = found->databases[0];
    another.owner = 70001;
    CHECK(ask_database(another, "sample").error().code == ErrorCode::kNotFound);
  } else {
    CHECK(contains(found.error().message, "not trusted"));
  }
}

TEST_CASE("what a process that is not seen says of itself is passed on", "[tools]") {
  const TempDirectory directory;
  AgentOptions options;
  options.directory = directory.path().string();
  const std::string self = std::to_string(::getpid());
  const std::pair<std::string, std::string> files[] = {
      {"agent." + self + ".why", "/data/a: no\n\nother RocksDB\n"},
      {"agent.x.why", "no number"},
      {"agent..why", "no number"},
      {"agent.2147483647.why", "no such process: the kernel's numbers end below"}};
  for (const auto& [name, content] : files) CHECK_FALSE(directory.write(name, content).empty());
  std::filesystem::create_symlink("/etc/hostname", directory.path() / "agent.1.why");

  const auto sentences = unseen_processes(options.directory, 0);
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[0] == "process " + self + ": /data/a: no");
  CHECK(sentences[1] == "process " + self + ": other RocksDB");
  CHECK(unseen_processes(options.directory, 1).empty());
  CHECK(find_databases(options).error().message == sentences[0]);

  const std::string dead = dead_socket(directory, 42);
  const std::string both = find_databases(options).error().message;
  CHECK(contains(both, dead));
  CHECK(both.ends_with("; " + sentences[0]));  // what a killed one left hides no live one

  // A second name: somebody else may have put it there.
  std::filesystem::create_hard_link(directory.path() / files[0].first, directory.path() / "other");
  CHECK(unseen_processes(options.directory, 0).empty());
}

TEST_CASE("a heading says who has the database open", "[tools]") {
  AgentDatabase database;
  database.pid = 7;
  database.command = "host";
  database.rocksdb_version = "7.8.3";
  database.path = "/data/a\x1b";
  database.reason = "read-only";
  CHECK(heading(database) == "/data/a?   host[7]   RocksDB 7.8.3   cannot be tuned: read-only");
  CHECK(identity(database)["pid"] == 7);
}
