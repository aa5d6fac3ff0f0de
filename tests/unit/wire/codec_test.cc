// Every message survives the trip through JSON, and the JSON is what docs/wire.md shows.
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/wire/messages.h"

namespace rocktune::wire {
namespace {

using nlohmann::json;

// Encoding is injective for these messages, so that equal text means equal messages.
template <class T>
T round_trip(const T& message) {
  const std::string text = encode(message);
  const auto decoded = decode<T>(text);
  INFO(text);
  REQUIRE(decoded.has_value());
  CHECK(encode(*decoded) == text);
  return *decoded;
}

TEST_CASE("every message survives the round trip") {
  round_trip(testing::hello());
  round_trip(DatabaseList{{testing::database(), testing::database()}});
  round_trip(DatabaseList{});
  round_trip(testing::sample());
  round_trip(Sample{});
  round_trip(testing::options());
  round_trip(testing::events());
  round_trip(Events{});
  round_trip(testing::knobs());
  round_trip(testing::changes());
  round_trip(testing::results());
  round_trip(testing::lease());
  round_trip(RestoreRequest{true});
  round_trip(ReleaseRequest{"knob", "cf"});
  round_trip(HoldRequest{"knob", "cf"});
  round_trip(testing::op_trace_request());
  round_trip(testing::op_trace());
  round_trip(OpTrace{});
  round_trip(Error{"not_found", "no such \"database\""});
}

TEST_CASE("fields arrive where they belong") {
  const auto hello = round_trip(testing::hello());
  CHECK(hello.pid == 4711);
  CHECK(hello.command == "mysqld");
  CHECK(hello.capabilities == std::vector<std::string>{"sample", "options"});

  const auto database = round_trip(DatabaseList{{testing::database()}}).databases.at(0);
  CHECK(database.path == testing::database().path);
  CHECK(database.data_paths.size() == 2);
  CHECK(database.tunable);
  CHECK(database.limiter == "host");

  const auto entry = round_trip(testing::knobs()).knobs.at(0);
  CHECK(entry.knob.max == INT64_MAX);
  CHECK(entry.knob.databases == 2);
  CHECK(entry.knob.object == UINT64_MAX);
  CHECK(entry.details.special == -1);
  CHECK(entry.details.relations == "a <= b");
  CHECK(round_trip(testing::results()).results.at(1).column_family == "cf");

  const auto sample = round_trip(testing::sample());
  CHECK(sample.sequence == UINT64_MAX);
  CHECK(sample.wall_ns == INT64_MIN);
  CHECK(sample.tickers == testing::sample().tickers);
  CHECK(sample.histograms == testing::sample().histograms);
  CHECK(sample.write_buffer_manager == testing::sample().write_buffer_manager);
  CHECK(sample.column_families.at(0).options.at("write_buffer_size") == -5);
  CHECK(sample.column_families.at(0).levels == std::vector<Level>{{1, 2}, {3, 4}});
  REQUIRE(sample.column_families.size() == 3);
  CHECK(sample.column_families.at(0).l0_compactions == L0Compactions{4, 5, 6, UINT64_MAX});
  CHECK(sample.column_families.at(1).l0_compactions == L0Compactions{1, 2, std::nullopt, 3});
  CHECK_FALSE(sample.column_families.at(2).l0_compactions);
  CHECK(sample.column_families.at(0).jobs == Jobs{1, 2, 3, 4, 5, 6, 7, 8, UINT64_MAX, 9});
  CHECK(sample.column_families.at(1).jobs == Jobs{});
  CHECK_FALSE(sample.column_families.at(2).jobs);
  CHECK(sample.knobs.at(0).max == INT64_MAX);
  REQUIRE(sample.lease);
  CHECK(sample.lease->seconds == 12.5);
  CHECK(sample.lease->remaining_seconds == 0.25);

  CHECK(sample.next_event == UINT64_MAX);

  const auto events = round_trip(testing::events());
  CHECK(events.events == testing::events().events);
  CHECK(events.missed == UINT64_MAX);
  CHECK(events.next_event == UINT64_MAX);

  const auto changes = round_trip(testing::changes());
  CHECK(changes.changes.at(0).expect == 3);
  CHECK_FALSE(changes.changes.at(1).expect.has_value());
}

TEST_CASE("the encoder writes JSON that another parser reads alike") {
  const auto text = json::parse(encode(testing::sample()));
  CHECK(text["histograms"]["get"] ==
        json::parse(R"({"sum_us":70,"buckets":[[0,1,5],[1,2,6],[64,65,1]]})"));
  CHECK(text["knobs"][0]["owner"] == "rocktune");
  CHECK(text["lease"]["holder"] == "rocktuned:1");
  CHECK_FALSE(json::parse(encode(Sample{})).contains("lease"));
  CHECK_FALSE(json::parse(encode(Sample{})).contains("write_buffer_manager"));
  CHECK(json::parse(encode(Error{"a", "b"})) ==
        json::parse(R"({"error":{"code":"a","message":"b"}})"));
  const auto path =
      json::parse(encode(DatabaseList{{testing::database()}}))["databases"][0]["path"];
  CHECK(path == testing::database().path);
}

TEST_CASE("bytes that are not UTF-8 do not spoil the message") {
  ColumnFamily family;
  family.name = GENERATE(as<std::string>(), "\xFF", "a\xC3", "\xC0\xAF", "\xED\xA0\x80",
                         "\xF5\x80\x80\x80", "\xE2\x82");
  Sample sample;
  sample.column_families = {family};
  const auto decoded = decode<Sample>(encode(sample));
  REQUIRE(decoded.has_value());
  CHECK_THAT(decoded->column_families.at(0).name, Catch::Matchers::Contains("\xEF\xBF\xBD"));
}

TEST_CASE("multi-byte UTF-8 is kept as it is") {
  Database database = testing::database();
  database.path = "/\xC3\xB6/\xE2\x82\xAC/\xF0\x9F\x98\x80";
  CHECK(round_trip(DatabaseList{{database}}).databases.at(0).path == database.path);
}

TEST_CASE("what is not known is ignored, what is optional may be absent") {
  const auto hello = decode<Hello>(
      R"({"version":3,"pid":1,"instance":"x","mode":"rw","later":{"deep":[1,{"a":null}]}})");
  REQUIRE(hello.has_value());
  CHECK(hello->version == 3);
  CHECK(hello->capabilities.empty());

  const auto sample = decode<Sample>(R"({"sequence":1,"tick_ns":2,"wall_ns":3})");
  REQUIRE(sample.has_value());
  CHECK(sample->tickers.empty());
  CHECK_FALSE(sample->lease.has_value());
  CHECK(sample->next_event == 0);

  const auto events = decode<Events>(
      R"({"events":[{"sequence":1,"tick_ns":2,"wall_ns":3,"kind":"x"}],"next_event":2})");
  REQUIRE(events.has_value());
  CHECK(events->events.at(0).kind == "x");
  CHECK(events->missed == 0);

  const auto lease = decode<Lease>(R"({"holder":"me","seconds":10})");
  REQUIRE(lease.has_value());
  CHECK(lease->on_expiry == "restore");
  CHECK_FALSE(decode<RestoreRequest>("{}")->hold);
  CHECK(decode<ReleaseRequest>("{}")->knob.empty());
}

}  // namespace
}  // namespace rocktune::wire
