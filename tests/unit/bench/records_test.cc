#include "bench/run/records.h"

#include <set>

#include "tests/support/catch.h"

using rocktune::bench::Random;
using rocktune::bench::record_key;
using rocktune::bench::ValuePool;

TEST_CASE("keys sort as their numbers", "[bench][records]") {
  std::string buffer;
  CHECK(record_key(0, buffer).ToString() == "user000000000000");
  CHECK(record_key(42, buffer).ToString() == "user000000000042");
  CHECK(record_key(999999999999, buffer).ToString() == "user999999999999");
  CHECK(record_key(9, buffer).ToString() < record_key(10, buffer).ToString());
}

TEST_CASE("values have their size and differ", "[bench][records]") {
  const ValuePool pool(1000, 1);
  Random random(5);
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto value = pool.pick(random);
    CHECK(value.size() == 1000);
    seen.insert(value.ToString());
  }
  CHECK(seen.size() > 95);
}
