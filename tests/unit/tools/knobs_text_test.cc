#include "tools/knobs_text.h"

#include "support.h"

using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

const char* const kAnswer = R"({"knobs":[
  {"name":"rate_limiter_bytes_per_second","column_family":"","value":1099511627776,
   "found":4194304,"owner":"rocktune","changeable":true,"reason":"","min":1048576,
   "max":1099511627776,"scope":"limiter","type":"integer","unit":"bytes/s","relations":"",
   "cost":"free","side_effects":""},
  {"name":"rate_limiter_limit_flushes","column_family":"","value":1,"found":1,"owner":"found",
   "changeable":false,"reason":"the host's own limiter","min":0,"max":1,"scope":"limiter",
   "type":"boolean","unit":""},
  {"name":"level0_stop_writes_trigger","column_family":"default","value":36,"found":36,
   "owner":"found","changeable":true,"reason":"","min":1,"max":1000,"scope":"column_family",
   "type":"integer","unit":"files","relations":"not below the slowdown trigger",
   "cost":"options_file","side_effects":"may stop writes at once"},
  {"name":"periodic_compaction_seconds","column_family":"index","value":-1,"found":-1,
   "owner":"found","changeable":true,"reason":"","min":0,"max":1000,"special":-1,
   "special_means":"RocksDB decides","scope":"column_family","type":"integer","unit":"seconds"}]})";

std::string joined(const KnobsView& view) {
  const auto lines = knob_lines(Json::parse(kAnswer), view);
  REQUIRE(lines);
  std::string text;
  for (const std::string& line : *lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("knobs are a table in the units of each", "[tools]") {
  const std::string text = joined({});
  for (const char* part :
       {"unlimited", "found 4 MiB/s", "rocktune  1 MiB/s to unlimited",
        "rate_limiter_limit_flushes     on                         found     fixed: the host's own "
        "limiter",
        "column family default\n", "36 files", "1 to 1000", "column family index\n", "-1 seconds",
        "0 to 1000, or -1 (RocksDB decides)"}) {
    INFO(part << "\nin\n" << text);
    CHECK(contains(text, part));
  }
  CHECK_FALSE(contains(text, "side effects"));
}

TEST_CASE("details, and one column family", "[tools]") {
  const std::string text = joined({"default", true});
  CHECK(contains(text, "      relations: not below the slowdown trigger\n"));
  CHECK(contains(text, "      side effects: may stop writes at once\n"));
  CHECK(contains(text, "rate_limiter_limit_flushes"));
  CHECK_FALSE(contains(text, "index"));
}

TEST_CASE("a column family that is not there is an error", "[tools]") {
  const auto none = knob_lines(Json::parse(kAnswer), {"nix", false});
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "no column family is called nix; there are default, index");
  CHECK(none.error().code == rocktune::ErrorCode::kNotFound);
}

TEST_CASE("an answer that is another one is an error", "[tools]") {
  for (const char* answer : {"{}", R"({"knobs":7})", R"({"knobs":[{}]})", R"({"knobs":[7]})",
                             R"({"knobs":[{"name":1,"column_family":""}]})"}) {
    CHECK_FALSE(knob_lines(Json::parse(answer), {}));
  }
  CHECK(knob_lines(Json::parse(R"({"knobs":[]})"), {})->front() == "  no knobs");
}

TEST_CASE("a limit that is off is no number of files, and a limiter that is none no rate",
          "[tools]") {
  Json answer = Json::parse(kAnswer);
  answer["knobs"][0]["value"] = 0;
  answer["knobs"][0]["found"] = 0;
  answer["knobs"][2]["value"] = 20;
  answer["knobs"][2]["found"] = 2147483647;
  const auto lines = knob_lines(answer, {});
  REQUIRE(lines);
  CHECK(contains(lines->at(0), "rate_limiter_bytes_per_second  none"));
  CHECK(contains(lines->at(3), "20 files    found no limit"));
}
