#include "tools/agents.h"

#include "support.h"

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

TEST_CASE("a heading says who has the database open", "[tools]") {
  const AgentDatabase database{"/r/agent.7.sock", 7,          "host", "7.8.3", "1",
                               "/data/a\x1b",     "read-only"};
  CHECK(heading(database) == "/data/a?   host[7]   RocksDB 7.8.3   cannot be tuned: read-only");
  CHECK(identity(database)["pid"] == 7);
}
