#include "tools/stats_text.h"

#include "support.h"

using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

const char* const kStatsAnswer = R"({"tick_ns":1,"wall_ns":2,
  "derived":[
    {"name":"write_amplification","value":3.4567,"formula":"(a + b) / c","inputs":{"a":1}},
    {"name":"read_amplification","reason":"nothing was read","formula":"d / e","inputs":{}}],
  "memory":{"block_cache_usage_bytes":12582912,"memtables_bytes":1024},
  "properties":{},"maps":{},
  "column_families":[{"name":"default","properties":{},"maps":{},"levels":{
    "L0":{"NumFiles":3,"SizeBytes":3145728,"Score":0.75,"WriteAmp":1.0,"CompCount":7},
    "L6":{"NumFiles":0,"SizeBytes":0,"Score":0,"WriteAmp":0,"CompCount":0}}}],
  "tickers":{"bytes.written":2147483648,"number.keys.written":1234567,"stall.micros":2500000,
    "block.cache.hit":0},
  "histograms":{"db.get.micros":{"count":0},
    "db.write.micros":{"count":52000,"sum":1,"min":1,"max":9000,"average":12.5,"p50":10,"p95":40,
      "p99":1500}},
  "left_out":["aggregated-table-properties: reads every file"]})";

std::string joined(std::size_t top) {
  const auto lines = statistics_lines(Json::parse(kStatsAnswer), top);
  REQUIRE(lines);
  std::string text;
  for (const std::string& line : *lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("statistics are figures with their formulas, and the largest counters", "[tools]") {
  const std::string text = joined(10);
  for (const char* part :
       {"write_amplification  3.457  = (a + b) / c", "read_amplification   -      = d / e; nothing",
        "block_cache_usage_bytes  12 MiB", "levels of default",
        "L0     3      3 MiB  0.75   1          7", "db.write.micros  52.0k  12 us", "1.5 ms",
        "bytes.written        2 GiB", "number.keys.written  1.23M", "stall.micros         2.50 s",
        "not read: aggregated-table-properties: reads every file"}) {
    INFO(part << "\nin\n" << text);
    CHECK(contains(text, part));
  }
  for (const char* part : {"block.cache.hit", "db.get.micros", "L6"}) {
    INFO(part << "\nin\n" << text);
    CHECK_FALSE(contains(text, part));
  }
}

TEST_CASE("no more counters than asked for", "[tools]") {
  const std::string text = joined(1);
  CHECK(contains(text, "bytes.written"));
  CHECK_FALSE(contains(text, "stall.micros"));
  CHECK_FALSE(contains(joined(0), "tickers"));
}

TEST_CASE("an answer that is no statistics is an error", "[tools]") {
  for (const char* answer :
       {"{}", R"({"derived":[7]})", R"({"derived":[],"memory":{"a":"b"},"column_families":[]})"}) {
    CHECK_FALSE(statistics_lines(Json::parse(answer), 10));
  }
}
