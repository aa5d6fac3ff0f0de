#include "wire/statistics.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace rocktune::wire {
namespace {

using nlohmann::json;

TEST_CASE("statistics are written as docs/wire.md shows them") {
  Statistics statistics;
  statistics.tick_ns = 1;
  statistics.wall_ns = 2;
  statistics.tickers = {{"bytes.written", UINT64_MAX}};
  statistics.histograms = {
      {"db.get.micros",
       {.count = 3, .sum = 9, .min = 1, .max = 5, .average = 3, .p50 = 2.5, .p95 = 4, .p99 = 5}},
      {"db.seek.micros", {}}};
  statistics.properties = {{"is-write-stopped", 0}};
  statistics.maps = {{"dbstats", {{"db.uptime", "0.5"}, {"db.wal_syncs", "7"}}}};
  statistics.column_families = {
      {.name = "a\"b",
       .properties = {{"base-level", 1}},
       .levels = {{"L0", {{"NumFiles", "4.000000"}}}, {"Sum", {}}},
       .maps = {{"cfstats", {{"id", "LRUCache@0x5"}, {"big", "18446744073709551615"}}}}}};
  statistics.memory = {{"memtables_bytes", 1}};
  statistics.derived = {
      {.name = "wa", .value = 1.5, .reason = "", .formula = "x / y", .inputs = {{"x", 3}}},
      {.name = "ra", .value = {}, .reason = "none", .formula = "z", .inputs = {}}};
  statistics.left_out = {"nothing"};
  CHECK(json::parse(encode(statistics)) == json::parse(R"({"tick_ns":1,"wall_ns":2,
    "derived":[{"name":"wa","value":1.5,"formula":"x / y","inputs":{"x":3}},
               {"name":"ra","reason":"none","formula":"z","inputs":{}}],
    "memory":{"memtables_bytes":1},"properties":{"is-write-stopped":0},
    "maps":{"dbstats":{"db.uptime":0.5,"db.wal_syncs":7}},
    "column_families":[{"name":"a\"b","properties":{"base-level":1},
      "levels":{"L0":{"NumFiles":4.0},"Sum":{}},
      "maps":{"cfstats":{"id":"LRUCache@0x5","big":18446744073709551615}}}],
    "tickers":{"bytes.written":18446744073709551615},
    "histograms":{"db.get.micros":{"count":3,"sum":9,"min":1.0,"max":5.0,"average":3.0,"p50":2.5,
                                   "p95":4.0,"p99":5.0},
                  "db.seek.micros":{"count":0}},
    "left_out":["nothing"]})"));
}

TEST_CASE("what only looks like a number stays text") {
  Statistics statistics;
  statistics.maps = {{"m",
                      {{"a", ""},
                       {"b", "1x"},
                       {"c", "-2.5"},
                       {"d", "nan"},
                       {"e", "inf"},
                       {"f", "0x10"},
                       {"g", " 1"}}}};
  CHECK(json::parse(encode(statistics))["maps"]["m"] ==
        json::parse(R"({"a":"","b":"1x","c":-2.5,"d":"nan","e":"inf","f":"0x10","g":" 1"})"));
}

}  // namespace
}  // namespace rocktune::wire
