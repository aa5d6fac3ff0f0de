#include "agent/derived.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

wire::Derived figure(const std::map<std::string, std::uint64_t>& tickers, const std::string& name) {
  for (const auto& one : derive(tickers)) {
    if (one.name == name) return one;
  }
  FAIL("there is no " << name);
  return {};
}

TEST_CASE("write amplification is what was written to files for each byte that users wrote") {
  const auto derived = figure(
      {{"flush.write.bytes", 100}, {"compact.write.bytes", 250}, {"bytes.written", 100}, {"x", 1}},
      "write_amplification");
  REQUIRE(derived.value);
  CHECK(*derived.value == 3.5);
  CHECK(derived.formula == "(flush.write.bytes + compact.write.bytes) / bytes.written");
  CHECK(derived.inputs == std::map<std::string, std::uint64_t>{{"flush.write.bytes", 100},
                                                               {"compact.write.bytes", 250},
                                                               {"bytes.written", 100}});
  CHECK(derived.reason.empty());
}

TEST_CASE("read amplification is printed as its source writes it") {
  // 10 keys of 50 bytes were asked for, and 250 bytes came back: every second key was not there.
  const auto derived = figure({{"number.keys.read", 10},
                               {"bytes.written", 1000},
                               {"number.keys.written", 20},
                               {"bytes.read", 250}},
                              "read_amplification");
  REQUIRE(derived.value);
  CHECK(*derived.value == 2.0);
}

TEST_CASE("the hit ratio of the block cache") {
  const auto derived =
      figure({{"block.cache.hit", 30}, {"block.cache.miss", 10}}, "block_cache_hit_ratio");
  CHECK(derived.value == 0.75);
  CHECK(figure({{"block.cache.hit", 0}, {"block.cache.miss", 10}}, "block_cache_hit_ratio").value ==
        0.0);
}

TEST_CASE("what compactions read is not counted to the users' reads") {
  std::map<std::string, std::uint64_t> tickers = {
      {"last.level.read.bytes", 500},     {"non.last.level.read.bytes", 100},
      {"compact.read.bytes", 200},        {"bytes.read", 50},
      {"number.multiget.bytes.read", 30}, {"db.iter.bytes.read", 20}};
  CHECK(figure(tickers, "file_bytes_read_per_byte_returned").value == 4.0);
  tickers["compact.read.bytes"] = 700;  // read from the page cache before the counters were
  CHECK(figure(tickers, "file_bytes_read_per_byte_returned").value == 0.0);
}

TEST_CASE("without inputs, or without a divisor, there is a reason and no value") {
  const auto absent = figure({{"bytes.written", 1}}, "write_amplification");
  CHECK_FALSE(absent.value);
  CHECK(absent.reason == "not counted: flush.write.bytes, compact.write.bytes");
  CHECK(absent.inputs == std::map<std::string, std::uint64_t>{{"bytes.written", 1}});
  const auto zero =
      figure({{"block.cache.hit", 0}, {"block.cache.miss", 0}}, "block_cache_hit_ratio");
  CHECK_FALSE(zero.value);
  CHECK_THAT(zero.reason, Catch::Matchers::StartsWith("the divisor is 0"));
  for (const auto& derived : derive({})) {
    INFO(derived.name);
    CHECK_FALSE(derived.value);
    CHECK_FALSE(derived.reason.empty());
    CHECK_FALSE(derived.formula.empty());
  }
}

TEST_CASE("64-bit counters do not overflow") {
  const auto derived = figure({{"flush.write.bytes", UINT64_MAX},
                               {"compact.write.bytes", UINT64_MAX},
                               {"bytes.written", UINT64_MAX}},
                              "write_amplification");
  CHECK(derived.value == Approx(2.0));
}

}  // namespace
}  // namespace rocktune::agent
