#include "sim/write_control.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

StallLimits limits(std::int64_t write_buffers = 2) {
  StallLimits limits;
  limits.write_buffers = write_buffers;
  return limits;
}

// One column family whose debt and L0 are moved by hand.
class Database {
 public:
  explicit Database(std::uint64_t max_rate) : control(1, max_rate) {}
  void install(std::int64_t l0_files, std::uint64_t pending_bytes) {
    control.install(0, limits(), {0, l0_files, pending_bytes});
  }
  WriteControl control;
};

TEST_CASE("what RocksDB stalls for, in its order") {
  struct Case {
    StallLimits limits;
    StallGauges gauges;
    StallCondition expected;
  };
  using enum WriteState;
  using enum StallCause;
  StallLimits unlimited = limits();
  unlimited.soft_pending_bytes = unlimited.hard_pending_bytes = 0;
  const auto c = GENERATE_COPY(
      Case{limits(), {1, 19, 63 * kGiB}, {kNormal, kNone}},
      Case{limits(), {2, 0, 0}, {kStopped, kMemtables}},
      Case{limits(), {2, 40, 300 * kGiB}, {kStopped, kMemtables}},
      Case{limits(), {0, 36, 0}, {kStopped, kL0}},
      Case{limits(), {0, 0, 256 * kGiB}, {kStopped, kPendingBytes}},
      Case{limits(), {0, 20, 256 * kGiB}, {kStopped, kPendingBytes}},
      Case{limits(), {0, 20, 0}, {kDelayed, kL0}},
      Case{limits(), {0, 35, 70 * kGiB}, {kDelayed, kL0}},
      Case{limits(), {0, 0, 64 * kGiB}, {kDelayed, kPendingBytes}},
      Case{limits(3), {2, 0, 0}, {kNormal, kNone}},  // three buffers are too few to be delayed
      Case{limits(4), {3, 0, 0}, {kDelayed, kMemtables}},  // four are not
      Case{limits(4), {2, 0, 0}, {kNormal, kNone}},
      Case{unlimited, {0, 0, 900 * kGiB}, {kNormal, kNone}});
  CHECK(stall_condition(c.limits, c.gauges) == c.expected);
}

TEST_CASE("the delayed rate of a LOG of RocksDB 6.11") {
  // delayed_write_rate 8 MiB/s; each line of the LOG is one install.
  Database database(8388608);
  database.install(20, 10 * kGiB);
  CHECK(database.control.delayed_rate() == 8388608);  // the first delay takes the rate as it is
  database.install(21, 11 * kGiB);
  CHECK(database.control.delayed_rate() == 6710886);
  database.install(22, 11 * kGiB);
  CHECK(database.control.delayed_rate() == 5368708);
  database.install(3, kGiB);  // free again
  CHECK(database.control.state() == WriteState::kNormal);
  CHECK(database.control.delayed_rate() == 7516191);
  database.install(5, kGiB);
  CHECK(database.control.delayed_rate() == 7516191);  // kept until the next stall
  database.install(20, 10 * kGiB);
  CHECK(database.control.delayed_rate() == 7516191);
}

TEST_CASE("a debt that falls lets more through, at most what the option says") {
  Database database(1000000);
  database.install(20, 10 * kGiB);
  database.install(21, 11 * kGiB);
  CHECK(database.control.delayed_rate() == 800000);
  database.install(21, 10 * kGiB);
  CHECK(database.control.delayed_rate() == 1000000);
  database.install(21, 9 * kGiB);
  CHECK(database.control.delayed_rate() == 1000000);
}

TEST_CASE("near the stop and after it writes are slowed down more, not below 16 KiB/s") {
  Database database(1000000);
  database.install(20, kGiB);
  database.install(34, kGiB);
  CHECK(database.control.delayed_rate() == 600000);
  database.install(36, kGiB);
  CHECK(database.control.state() == WriteState::kStopped);
  CHECK(database.control.delayed_rate() == 600000);
  // RocksDB asks whether anybody is delayed before it slows down: after a stop nobody is.
  database.install(30, kGiB);
  CHECK(database.control.delayed_rate() == 600000);
  for (int i = 0; i < 40; ++i) database.install(34, kGiB);
  CHECK(database.control.delayed_rate() == 16 * 1024);
}

TEST_CASE("past three quarters of the way to the hard limit is near the stop") {
  Database database(1000000);
  database.install(0, 100 * kGiB);
  database.install(0, 208 * kGiB);
  CHECK(database.control.delayed_rate() == 800000);
  database.install(0, 209 * kGiB);
  CHECK(database.control.delayed_rate() == 480000);
}

TEST_CASE("one column family stalls all") {
  WriteControl control(2, 1000000);
  control.install(0, limits(), {0, 20, kGiB});
  control.install(1, limits(), {0, 0, 0});
  CHECK(control.state() == WriteState::kDelayed);
  // The other one is free and says so at each install, which counts as a recovery.
  CHECK(control.delayed_rate() == 1000000);
  control.install(1, limits(), {2, 0, 0});
  CHECK(control.state() == WriteState::kStopped);
  control.install(1, limits(), {0, 0, 0});
  control.install(0, limits(), {0, 2, 0});
  CHECK(control.state() == WriteState::kNormal);
}

TEST_CASE("setting the option sets the rate") {
  Database database(1000000);
  database.install(20, kGiB);
  database.install(21, kGiB);
  database.control.set_max_delayed_rate(3000000);
  CHECK(database.control.delayed_rate() == 3000000);
}

}  // namespace
}  // namespace rocktune::sim
