// Whatever the other side sends, decode() answers with one sentence that names the field.
#include "tests/support/catch.h"
#include "tests/unit/wire/messages.h"

namespace rocktune::wire {
namespace {

template <class T>
std::string refusal(std::string_view text) {
  const auto decoded = decode<T>(text);
  INFO(text);
  REQUIRE_FALSE(decoded.has_value());
  CHECK_FALSE(decoded.error().empty());
  return decoded.error();
}

std::string sample_with(const std::string& field) {
  return R"({"sequence":1,"tick_ns":2,"wall_ns":3,)" + field + "}";
}

TEST_CASE("a wrong type is named with its place") {
  CHECK(refusal<Sample>(R"({"sequence":"1","tick_ns":2,"wall_ns":3})") ==
        "sequence: must be a whole number from 0 up, but is of type string");
  CHECK(refusal<Sample>(sample_with(R"("tickers":{"a":1,"b":1.5})")) ==
        "tickers.b: must be a whole number from 0 up, but is of type number");
  CHECK(refusal<Sample>(sample_with(R"("tickers":[])")) ==
        "tickers: must be an object, but is of type array");
  CHECK(
      refusal<Sample>(sample_with(
          R"("column_families":[{"name":"a"},{"name":"b","levels":[{"files":1,"bytes":null}]}])")) ==
      "column_families[1].levels[0].bytes: must be a whole number from 0 up, but is null");
  CHECK(refusal<Hello>("[]") == "the message: must be an object, but is of type array");
  CHECK(refusal<RestoreRequest>(R"({"hold":1})") ==
        "hold: must be true or false, but is of type number");
  CHECK(refusal<DatabaseList>(R"({"databases":{}})") ==
        "databases: must be an array, but is of type object");
}

TEST_CASE("what would take far more memory than its text is refused while it is parsed") {
  const std::string deep(1 << 20, '[');
  CHECK_THAT(refusal<Sample>(deep), Catch::Matchers::Contains("nested too deeply"));
  CHECK_THAT(refusal<Sample>("[" + deep), Catch::Matchers::Contains("nested too deeply"));
  std::string many = sample_with(R"("unknown":[0)");
  many.pop_back();
  constexpr int kMoreThanAllowed = 2'000'000;
  for (int i = 0; i < kMoreThanAllowed; ++i) many += ",0";
  CHECK_THAT(refusal<Sample>(many + "]}"), Catch::Matchers::Contains("too many values"));
  CHECK(decode<Sample>(sample_with(R"("unknown":[[[[[[0]]]]]])")).has_value());
}

TEST_CASE("what is missing is named") {
  CHECK(refusal<Hello>("{}") == "version: is missing");
  CHECK(refusal<ChangesRequest>(R"({"holder":"me","changes":[{"id":"1","value":3}]})") ==
        "changes[0].knob: is missing");
  CHECK(refusal<Error>(R"({"error":{"code":"x"}})") == "error.message: is missing");
}

TEST_CASE("a time that no clock reads is refused") {
  const std::string time = R"("tick_ns":-9223372036854775808,"wall_ns":0})";
  CHECK(refusal<Sample>(R"({"sequence":1,)" + time) == "tick_ns: is no time that a clock reads");
  CHECK(refusal<Events>(R"({"next_event":2,"events":[{"sequence":1,"kind":"x",)" + time + "]}") ==
        "events[0].tick_ns: is no time that a clock reads");
}

TEST_CASE("what is out of range is named") {
  CHECK(
      refusal<Sample>(sample_with(
          R"("knobs":[{"name":"a","value":1,"found":1,"owner":"found","changeable":true,"min":0,"max":2,"databases":0}])")) ==
      "knobs[0].databases: must not be 0");
  CHECK(refusal<Sample>(R"({"sequence":-1,"tick_ns":2,"wall_ns":3})") ==
        "sequence: must not be negative");
  CHECK(refusal<Sample>(R"({"sequence":1,"tick_ns":9223372036854775808,"wall_ns":3})") ==
        "tick_ns: must be at most 9223372036854775807");
  CHECK(refusal<Hello>(R"({"version":9999999999,"pid":1,"instance":"x","mode":"rw"})") ==
        "version: is out of range");
  CHECK(refusal<Hello>(R"({"version":1,"pid":0,"instance":"x","mode":"rw"})") ==
        "pid: must be above 0");
  CHECK(refusal<Hello>(R"({"version":1,"pid":1,"instance":"x","mode":"wr"})") ==
        "mode: must be one of rw, ro");
  CHECK(refusal<Lease>(R"({"holder":"","seconds":1})") == "holder: must not be empty");
  for (const char* seconds : {"0", "-1", "86401"}) {
    CHECK(refusal<Lease>(R"({"holder":"me","seconds":)" + std::string(seconds) + "}") ==
          "seconds: must be above 0 and at most 86400");
  }
  CHECK(refusal<Lease>(R"({"holder":"me","seconds":1,"on_expiry":"explode"})") ==
        "on_expiry: must be one of restore, keep");
  // A double that overflows is no JSON number to the parser.
  CHECK_THAT(refusal<Lease>(R"({"holder":"me","seconds":1e999})"),
             Catch::Matchers::StartsWith("the message: "));
}

TEST_CASE("histograms must make sense") {
  const auto with = [](const std::string& buckets) {
    return sample_with(R"("histograms":{"get":{"sum_us":1,"buckets":)" + buckets + "}}");
  };
  CHECK(decode<Sample>(with("[[0,1,1],[2,3,1]]")).has_value());
  CHECK(refusal<Sample>(with("[[0,1]]")) ==
        "histograms.get.buckets[0]: must be [lower, upper, count]");
  CHECK(refusal<Sample>(with("[[5,5,1]]")) ==
        "histograms.get.buckets[0]: lower must be below upper");
  CHECK(refusal<Sample>(with("[[4,6,1],[5,7,1]]")) ==
        "histograms.get.buckets: must rise and not overlap");
  CHECK(refusal<Sample>(with(R"([[0,1,"x"]])")) ==
        "histograms.get.buckets[0]: must be a whole number from 0 up, but is of type string");
}

TEST_CASE("events out of order or without identity are refused") {
  const auto with = [](const std::string& events) {
    return R"({"next_event":9,"events":[)" + events + "]}";
  };
  const auto event = [](const std::string& sequence) {
    return R"({"tick_ns":1,"wall_ns":2,"kind":"stall","sequence":)" + sequence + "}";
  };
  CHECK(decode<Events>(with(event("1") + "," + event("3"))).has_value());
  CHECK(refusal<Events>(with(event("3") + "," + event("3"))) ==
        "events: must be in the order of their sequence");
  CHECK(refusal<Events>(with(event("0"))) == "events[0].sequence: must be at least 1");
  CHECK(refusal<Events>(with(event("18446744073709551616"))) ==
        "events[0].sequence: must be a whole number from 0 up, but is of type number");
  CHECK(refusal<Events>(with(R"({"sequence":1,"tick_ns":1,"wall_ns":1,"kind":"x",)"
                             R"("numbers":{"job":9223372036854775808}})")) ==
        "events[0].numbers.job: must be at most 9223372036854775807");
  CHECK(refusal<Events>(R"({"events":[]})") == "next_event: is missing");
}

TEST_CASE("absurd sizes are refused") {
  std::string many = R"({"holder":"me","changes":[)";
  for (int i = 0; i < 257; ++i) many += R"({"id":"1","knob":"k","value":1},)";
  many.back() = ']';
  CHECK(refusal<ChangesRequest>(many + "}") == "changes: must have at most 256 entries");

  const std::string long_id(129, 'x');
  CHECK(refusal<ChangesRequest>(R"({"holder":"me","changes":[{"id":")" + long_id +
                                R"(","knob":"k","value":1}]})") ==
        "changes[0].id: must have 1 to 128 bytes");

  std::string names = R"({"databases":[)";
  for (int i = 0; i < 65537; ++i) names += "1,";
  names.back() = ']';
  CHECK(refusal<DatabaseList>(names + "}") == "databases: has more than 65536 entries");

  CHECK(refusal<ReleaseRequest>(R"({"knob":")" + std::string(65537, 'k') + R"("})") ==
        "knob: is longer than 65536 bytes");
  CHECK(refusal<Hello>(std::string((32u << 20) + 1, ' ')) == "the message: is larger than 32 MiB");
}

TEST_CASE("garbage is refused") {
  using namespace std::string_literals;
  for (const auto& text : {""s, " "s, "nonsense"s, "{"s, "}"s, "nul"s, "\0\0"s, "{\"version\":}"s,
                           "{\"a\":1,}"s, "{'version':1}"s, "\xFF\xFE"s, "{} {}"s,
                           std::string(100000, '['), std::string(100000, '{')}) {
    CHECK_THAT(refusal<Hello>(text), Catch::Matchers::StartsWith("the message: "));
    refusal<Sample>(text);
    refusal<ChangesRequest>(text);
  }
}

TEST_CASE("a message cut anywhere is refused") {
  const std::string text = encode(testing::sample());
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto decoded = decode<Sample>(std::string_view(text).substr(0, length));
    REQUIRE_FALSE(decoded.has_value());
  }
  REQUIRE(decode<Sample>(text).has_value());
}

TEST_CASE("a trace of operations has bounds") {
  const auto start = [](const std::string& rest) {
    return R"({"action":"start","directory":"/d",)" + rest + "}";
  };
  CHECK(refusal<OpTraceRequest>(R"({"action":"begin"})") ==
        "action: must be one of start, stop, status");
  CHECK(refusal<OpTraceRequest>(R"({"action":"start","directory":""})") ==
        "directory: must not be empty");
  CHECK(refusal<OpTraceRequest>(start(R"("seconds":1)")) == "max_bytes: is missing");
  CHECK(refusal<OpTraceRequest>(start(R"("max_bytes":1000,"seconds":1)")) ==
        "max_bytes: must be between 64 KiB and 1 PiB");
  CHECK(refusal<OpTraceRequest>(start(R"("max_bytes":1000000,"seconds":0)")) ==
        "seconds: must be above 0 and at most 86400");
  CHECK(refusal<OpTraceRequest>(start(R"("max_bytes":1000000,"seconds":1,"keep_one_read_of":0)")) ==
        "keep_one_read_of: must be at least 1");
  CHECK(decode<OpTraceRequest>(R"({"action":"stop"})").has_value());
}

}  // namespace
}  // namespace rocktune::wire
