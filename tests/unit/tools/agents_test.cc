#include "tools/agents.h"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "support.h"
#include "tools/reasons.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;
using rocktune::tools::test::TempDirectory;

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

  // One that does not answer is named.
  const std::string dead = directory.write("agent.42.sock", "");
  CHECK(contains(find_databases(options).error().message, dead));
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

  const std::string dead = directory.write("agent.42.sock", "");
  CHECK(contains(find_databases(options).error().message, dead));

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
