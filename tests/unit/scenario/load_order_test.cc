#include "scenario/workload/load_order.h"

#include <algorithm>
#include <vector>

#include "scenario/workload/workload.h"
#include "tests/support/catch.h"

using rocktune::scenario::LoadOrder;
using rocktune::scenario::LoadSequence;
using rocktune::scenario::parse_workload;

TEST_CASE("either order writes every record once", "[scenario][workload]") {
  for (const LoadOrder order : {LoadOrder::kKey, LoadOrder::kSpread}) {
    for (const std::int64_t records : {1, 999, 1000, 1001, 123457}) {
      const LoadSequence sequence(order, records);
      std::vector<bool> seen(static_cast<std::size_t>(records));
      std::int64_t written = 0;
      for (std::int64_t place = 0; place < sequence.size(); ++place) {
        const auto record = sequence.at(place);
        if (!record) continue;
        REQUIRE(*record >= 0);
        REQUIRE(*record < records);
        REQUIRE_FALSE(seen[static_cast<std::size_t>(*record)]);
        seen[static_cast<std::size_t>(*record)] = true;
        ++written;
      }
      CHECK(written == records);
    }
  }
}

TEST_CASE("a spread load passes through the whole key space again and again",
          "[scenario][workload]") {
  const LoadSequence sequence(LoadOrder::kSpread, 100000);
  std::int64_t least = 100000;
  std::int64_t most = 0;
  for (std::int64_t place = 5000; place < 6000; ++place) {
    least = std::min(least, sequence.at(place).value_or(least));
    most = std::max(most, sequence.at(place).value_or(most));
  }
  CHECK(least < 1000);
  CHECK(most > 99000);
}

TEST_CASE("a workload says in which order it is loaded", "[scenario][workload]") {
  const std::string phases = "phases: [{seconds: 1, workload: C}]\n";
  CHECK(parse_workload(phases, "w.yaml")->load_order == LoadOrder::kKey);
  CHECK(parse_workload("load_order: spread\n" + phases, "w.yaml")->load_order ==
        LoadOrder::kSpread);
  const auto wrong = parse_workload("load_order: random\n" + phases, "w.yaml");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == "w.yaml:1:13: load_order: 'random' is neither key nor spread");
}
