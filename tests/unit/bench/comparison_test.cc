#include "bench/demo/comparison.h"

#include "tests/support/catch.h"

using nlohmann::json;
using rocktune::bench::comparison_table;
using rocktune::bench::conclusion;
using rocktune::bench::price;
using rocktune::bench::throughput_ratio;

namespace {

json result(double ops, double pending) {
  json total = {{"ops_per_second", ops},
                {"stall_seconds", 0},
                {"pending_compaction_bytes", pending},
                {"operations", {{"read", {{"mean_us", 250}, {"p99_us", 1500}}}}}};
  json database = {
      {"total", total},
      {"phases", json::array({{{"name", "burst"}, {"total", {{"ops_per_second", ops}}}}})}};
  return {{"databases", json::array({database})}};
}

bool has_line(const std::string& table, const std::string& label, const std::string& end) {
  const auto at = table.find(label);
  if (at == std::string::npos) return false;
  const std::string line = table.substr(at, table.find('\n', at) - at);
  return line.size() >= end.size() && line.ends_with(end);
}

}  // namespace

TEST_CASE("static and tuned stand side by side", "[bench][demo]") {
  const std::string table = comparison_table(result(9000, 2097152), result(27000, 1048576));
  CHECK(has_line(table, "throughput, ops/s", "9000        27000          3.00x"));
  CHECK(has_line(table, "  in phase burst, ops/s", "3.00x"));
  CHECK(has_line(table, "read P99, ms", "1.500        1.500          1.00x"));
  CHECK(has_line(table, "pending compaction at the end", "2.0          1.0          0.50x"));
}

TEST_CASE("what is missing or has no ratio shows as a dash", "[bench][demo]") {
  const std::string table = comparison_table(result(9000, 1), result(9000, 1));
  CHECK(has_line(table, "update mean, ms", "-            -              -"));
  CHECK(has_line(table, "time writers stalled, s", "0.00         0.00              -"));
  CHECK_FALSE(throughput_ratio(result(0, 0), result(5, 0)));
  CHECK_FALSE(throughput_ratio(json::object(), result(5, 0)));
}

TEST_CASE("the conclusion says what was measured", "[bench][demo]") {
  CHECK(conclusion(throughput_ratio(result(100, 0), result(250, 0))).find("2.50 times") !=
        std::string::npos);
  CHECK(conclusion(1.01).find("no difference") != std::string::npos);
  CHECK(conclusion(0.8).find("WORSE") != std::string::npos);
  CHECK(conclusion(std::nullopt).find("cannot be compared") != std::string::npos);
}

TEST_CASE("what got slower is said, too", "[bench][demo]") {
  json slow = result(250, 0);
  slow["databases"][0]["total"]["operations"]["read"]["mean_us"] = 500;
  CHECK(price(result(100, 0), slow) == "In return a read took 2.00 times as long on average.");
  CHECK(price(slow, result(100, 0)).empty());
  slow["databases"][0]["total"]["operations"]["read"]["p99_us"] = 3750;
  CHECK(price(result(100, 0), slow) ==
        "In return a read took 2.00 times as long on average and 2.50 times at P99.");
  CHECK(price(result(100, 0), result(100, 0)).empty());
}
