// The agent's rate limiter in a real database: who is who, what is counted, and a close in between.
#include <random>
#include <thread>

#include "agent/limiter/fair_rate_limiter.h"
#include "agent/shared_objects.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

constexpr std::uint64_t kDatabaseMiB = 1 << 20;

struct LimitedDatabase : testing::TestDatabase {
  std::shared_ptr<FairRateLimiter> limiter = own_limiter(db->GetDBOptions().rate_limiter);
  std::mt19937_64 random{1};

  // A file of 2 MiB in level 0, over the same keys each time.
  void flush_one() {
    for (int key = 0; key < 512; ++key) {
      std::string value(4096, ' ');
      for (char& byte : value) byte = static_cast<char>(random());
      REQUIRE(db->Put({}, std::to_string(key), value).ok());
    }
    REQUIRE(db->Flush({}).ok());
  }
  [[nodiscard]] std::uint64_t count(const std::string& name) const {
    return limiter->snapshot().at(name);
  }
};

TEST_CASE("flushes and level-0 compactions are told apart, reads are counted", "[limiter]") {
  LimitedDatabase s;
  REQUIRE(s.limiter);
  for (int i = 0; i < 2; ++i) s.flush_one();
  CHECK(s.count("flush_write_bytes") > 4 * kDatabaseMiB);
  CHECK(s.count("l0_compaction_write_bytes") == 0);
  REQUIRE(s.db->CompactRange({}, nullptr, nullptr).ok());
  CHECK(s.count("l0_compaction_write_bytes") > 2 * kDatabaseMiB);
  CHECK(s.count("l0_compaction_read_bytes") > 4 * kDatabaseMiB);
  CHECK(s.count("deep_compaction_write_bytes") == 0);

  // A user's reads are asked about only if he gives them a priority.
  const auto read = s.count("other_read_requests");
  std::string value;
  REQUIRE(s.db->Get({}, "1", &value).ok());
  CHECK(s.count("other_read_requests") == read);
  CHECK(s.count("delayed_requests") == 0);
}

TEST_CASE("a close does not wait for a compaction that waits for the limiter", "[limiter]") {
  LimitedDatabase s;
  REQUIRE(s.limiter);
  s.limiter->SetBytesPerSecond(kDatabaseMiB);  // 8 s for the compaction
  for (int i = 0; i < 4; ++i) s.flush_one();   // at once, whatever the rate; then level 0 is full
  CHECK(s.count("flush_write_bytes") > 8 * kDatabaseMiB);
  while (s.count("pending_requests") == 0) std::this_thread::yield();
  s.close();
  CHECK(s.count("pending_requests") == 0);
  CHECK(s.count("l0_compaction_write_bytes") < 2 * kDatabaseMiB);  // it was not carried to its end
}

}  // namespace
}  // namespace rocktune::agent
