// The protocol of docs/wire.md on a real database, without sockets.
#include "agent/router.h"

#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

struct RouterFixture {
  std::chrono::steady_clock::time_point now{std::chrono::seconds(1000)};
  testing::TestDatabase host;
  Registry registry;
  std::shared_ptr<Database> database;
  Router router;

  explicit RouterFixture(const std::string& mode = "rw")
      : database(std::make_shared<Database>(host.db.get(), host.handles, 3, mode == "ro",
                                            [this] { return now; })),
        router(registry, hello(mode)) {
    registry.add(database);
  }
  ~RouterFixture() { database->close(); }

  static wire::Hello hello(const std::string& mode) {
    wire::Hello hello;
    hello.pid = 1;
    hello.instance = "x";
    hello.mode = mode;
    return hello;
  }
  Response get(const std::string& target) { return router.handle({"GET", target, ""}); }
  Response post(const std::string& action, const std::string& body) {
    return router.handle({"POST", "/v1/dbs/3/" + action, body});
  }
  static std::string code(const Response& response) {
    const auto error = wire::decode<wire::Error>(response.body);
    return error ? error->code : "no error: " + response.body;
  }
};

TEST_CASE("hello and the list of databases") {
  RouterFixture f;
  CHECK(wire::decode<wire::Hello>(f.get("/v1/hello").body)->instance == "x");
  const auto list = wire::decode<wire::DatabaseList>(f.get("/v1/dbs").body);
  REQUIRE(list.has_value());
  REQUIRE(list->databases.size() == 1);
  CHECK(list->databases[0].id == "3");
}

TEST_CASE("a whole session") {
  RouterFixture f;
  CHECK(f.post("lease", R"({"holder":"a b&c","seconds":10})").status == 200);
  f.now += std::chrono::seconds(8);
  const auto sample =
      wire::decode<wire::Sample>(f.get("/v1/dbs/3/sample?x=1&holder=a%20b%26c").body);
  REQUIRE(sample.has_value());
  CHECK(sample->lease->remaining_seconds == 10.0);
  CHECK(sample->knobs.size() == 14);  // of the limiter, the database and two caches
  const auto knobs = wire::decode<wire::Knobs>(f.get("/v1/dbs/3/knobs").body);
  REQUIRE(knobs.has_value());
  CHECK(knobs->knobs.size() > 30);

  const auto changed = wire::decode<wire::ChangeResults>(
      f.post("changes",
             R"({"holder":"a b&c","changes":[{"id":"1","knob":"max_background_jobs","value":4}]})")
          .body);
  REQUIRE(changed.has_value());
  CHECK(changed->results.at(0).status == "applied");
  const auto options = wire::decode<wire::Options>(f.get("/v1/dbs/3/options").body);
  CHECK(options->database.at("max_background_jobs") == "4");
  CHECK(options->database.at("use_direct_reads") == "false");
  CHECK(options->column_families.at("second").at("compaction_style") == "kCompactionStyleLevel");
  CHECK(options->column_families.at("second").at("filter_policy") == "nullptr");
  CHECK(options->column_families.at("default").at("partition_filters") == "false");
  const auto restored = wire::decode<wire::ChangeResults>(f.post("restore", "").body);
  REQUIRE(restored.has_value());
  CHECK(restored->results.at(0).after == 2);
  CHECK(f.post("release", R"({"knob":"max_background_jobs"})").status == 200);
  CHECK(f.post("hold", R"({"knob":"max_background_jobs"})").status == 200);
}

TEST_CASE("events are read from where the reader stopped") {
  RouterFixture f;
  REQUIRE(f.host.db->Put({}, "a", "b").ok());
  REQUIRE(f.host.db->Flush({}).ok());
  const auto sample = wire::decode<wire::Sample>(f.get("/v1/dbs/3/sample").body);
  REQUIRE(sample.has_value());
  CHECK(sample->next_event == 3);
  const auto all = wire::decode<wire::Events>(f.get("/v1/dbs/3/events").body);
  REQUIRE(all.has_value());
  REQUIRE(all->events.size() == 2);
  CHECK(all->next_event == 3);
  CHECK(all->events[0].kind == "flush_begin");
  const auto one = wire::decode<wire::Events>(f.get("/v1/dbs/3/events?limit=1&after=0").body);
  CHECK(one->events.size() == 1);
  const auto last = wire::decode<wire::Events>(f.get("/v1/dbs/3/events?after=1").body);
  REQUIRE(last->events.size() == 1);
  CHECK(last->events[0].kind == "flush_end");
  CHECK(wire::decode<wire::Events>(f.get("/v1/dbs/3/events?after=18446744073709551615").body)
            ->events.empty());

  for (const char* const query : {"after=x", "after=-1", "after=1.5", "after=18446744073709551616",
                                  "limit=0", "limit=-1", "after=1x", "after=%201"}) {
    const auto refused = f.get(std::string("/v1/dbs/3/events?") + query);
    INFO(query);
    CHECK(refused.status == 400);
    CHECK(RouterFixture::code(refused) == "bad_request");
  }
}

TEST_CASE("statistics are served") {
  RouterFixture f;
  const auto answer = f.get("/v1/dbs/3/statistics");
  CHECK(answer.status == 200);
  CHECK_THAT(answer.body, Catch::Matchers::Contains("write_amplification"));
  CHECK(f.post("statistics", "").status == 405);
}

TEST_CASE("what is wrong is said") {
  RouterFixture f;
  CHECK(f.get("/").status == 404);
  CHECK(RouterFixture::code(f.get("/v1/dbs/9/sample")) == "not_found");
  CHECK(RouterFixture::code(f.get("/v1/dbs/3/nothing")) == "not_found");
  CHECK(RouterFixture::code(f.get("/v1/dbs/3")) == "not_found");
  CHECK(f.get("/v1/dbs/3/changes").status == 405);
  CHECK(f.router.handle({"POST", "/v1/hello", ""}).status == 405);
  CHECK(f.router.handle({"DELETE", "/v1/dbs/3/lease", ""}).status == 405);
  CHECK(f.post("lease", "nonsense").status == 400);
  CHECK(RouterFixture::code(f.post("lease", R"({"holder":"x"})")) == "bad_request");
  CHECK(f.post("changes", R"({"holder":"me","changes":[]})").status == 409);
  CHECK(RouterFixture::code(f.post("changes", R"({"holder":"me","changes":[]})")) == "no_lease");
  CHECK(f.post("release", R"({"knob":"nothing"})").status == 404);
  CHECK(f.post("hold", R"({"knob":"nothing"})").status == 404);
  CHECK(f.post("hold", "{}").status == 400);
  CHECK(f.post("op_trace", R"({"action":"begin"})").status == 400);
  CHECK(RouterFixture::code(f.post("op_trace", R"({"action":"start"})")) == "bad_request");
  CHECK(
      f.post("op_trace", R"({"action":"start","directory":"here","max_bytes":1000000,"seconds":1})")
          .status == 409);
}

TEST_CASE("a read-only agent refuses every change") {
  RouterFixture f("ro");
  for (const char* action : {"lease", "changes", "restore", "release", "hold", "op_trace"}) {
    CHECK(f.post(action, "{}").status == 403);
    CHECK(RouterFixture::code(f.post(action, "{}")) == "read_only");
  }
  CHECK(f.get("/v1/dbs/3/sample").status == 200);
  CHECK_FALSE(f.database->description().tunable);
}

TEST_CASE("a database that closes is gone") {
  RouterFixture f;
  f.database->close();
  CHECK(RouterFixture::code(f.get("/v1/dbs/3/sample")) == "not_found");
  f.registry.remove("3");
  CHECK(RouterFixture::code(f.get("/v1/dbs/3/sample")) == "not_found");
}

TEST_CASE("requests of one database wait for each other, but for those of a trace of operations") {
  const auto queue = [](const char* target) { return Router::queue_of({"POST", target, ""}); };
  CHECK(queue("/v1/dbs/3/changes") == "3");
  CHECK(queue("/v1/dbs/3/restore?x=1") == "3");
  CHECK(queue("/v1/dbs/3") == "3");
  CHECK(queue("/v1/dbs/3/op_trace") == op_trace_queue("3"));
  CHECK(queue("/v1/dbs/%33/op_trace?x=1") == op_trace_queue("3"));
  CHECK(op_trace_queue("3") != "3");
  CHECK(queue("/v1/hello").empty());
}

TEST_CASE("only requests that may take long wait for their turn") {
  CHECK(Router::may_take_long({"POST", "/v1/dbs/3/changes", ""}));
  CHECK(Router::may_take_long({"GET", "/v1/dbs/3/statistics?x=1", ""}));
  CHECK_FALSE(Router::may_take_long({"GET", "/v1/dbs/3/sample", ""}));
  CHECK_FALSE(Router::may_take_long({"GET", "/v1/dbs/3/events?x=/statistics", ""}));
}

}  // namespace
}  // namespace rocktune::agent
