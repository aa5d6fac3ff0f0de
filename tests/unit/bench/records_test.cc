#include "bench/run/records.h"

#include <set>

#include "tests/support/catch.h"

using rocktune::bench::is_record_key;
using rocktune::bench::missing_key;
using rocktune::bench::record_key;
using rocktune::bench::ValuePool;

TEST_CASE("keys sort as their numbers", "[bench][records]") {
  std::string buffer;
  CHECK(record_key(0, buffer).ToString() == "user000000000000");
  CHECK(record_key(42, buffer).ToString() == "user000000000042");
  CHECK(record_key(999999999999, buffer).ToString() == "user999999999999");
  CHECK(record_key(9, buffer).ToString() < record_key(10, buffer).ToString());
}

TEST_CASE("a record's key is told from another one", "[bench][records]") {
  std::string buffer;
  CHECK(is_record_key(record_key(0, buffer)));
  CHECK(is_record_key(record_key(999999999999, buffer)));
  CHECK_FALSE(is_record_key(missing_key(7, buffer)));
  for (const char* other : {"", "user", "user:1", "user00000000000a", "user0000000000001",
                            "User000000000001", "record0000000001"}) {
    CHECK_FALSE(is_record_key(other));
  }
}

TEST_CASE("a missing key lies between two records and is neither", "[bench][records]") {
  std::string missing;
  std::string buffer;
  CHECK(missing_key(9, missing).ToString() > record_key(9, buffer).ToString());
  CHECK(missing_key(9, missing).ToString() < record_key(10, buffer).ToString());
}

TEST_CASE("values have the size asked for, and their number fixes them", "[bench][records]") {
  const ValuePool pool(1000, 1);
  std::set<std::string> seen;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const auto value = pool.value(number * 7919, 1000);
    CHECK(value.size() == 1000);
    CHECK(value == pool.value(number * 7919, 1000));
    seen.insert(value.ToString());
  }
  CHECK(seen.size() > 95);
  CHECK(pool.value(3, 10).size() == 10);
}
