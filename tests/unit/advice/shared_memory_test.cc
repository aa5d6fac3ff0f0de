// Rules that would spend the host's free memory: it is spent once.
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {

TEST_CASE("databases that share a host share what is free there", "[advice]") {
  Recording r;
  r.hits = r.misses = 2000;
  r.sample.host->memory_available_bytes = 600 * kMiBytes;
  const Report alone = r.report();
  CHECK(only_advice(alone, "cache_size").steps.front().value == std::to_string(812 * kMiBytes));
  CHECK(only_advice(alone, "cache_size").risk.find("as this database's alone") !=
        std::string::npos);
  r.sample.shared.emplace().host_members = 2;
  const Report shared = r.report();
  CHECK(only_advice(shared, "cache_size").steps.front().value == std::to_string(662 * kMiBytes));
  CHECK(only_advice(shared, "cache_size").risk.find("each of the host's 2 databases") !=
        std::string::npos);
}

TEST_CASE("more memtables and larger ones fit together", "[advice]") {
  Recording r;
  r.family().write_buffer_bytes = kMiBytes / 4;
  r.flushes = 1;
  r.stall_us = 100'000;
  r.sample.host->memory_available_bytes = 24 * kMiBytes;  // a quarter is for memtables
  const Report size = r.report();
  CHECK_FALSE(advises(size, "memtables"));
  CHECK(only_advice(size, "small_memtables").steps.front().value == std::to_string(2 * kMiBytes));
  r.each = [](Recording& now, int second) {
    now.family().immutable_memtables = second % 20 == 0 ? 2 : 0;
  };
  const Report both = r.report();
  CHECK(only_advice(both, "memtables").steps.front().value == "4");
  // 4 of 6 times the size: 6 MiB.
  CHECK(only_advice(both, "small_memtables").steps.front().value ==
        std::to_string(6 * kMiBytes / 4));
}

}  // namespace rocktune::advice
