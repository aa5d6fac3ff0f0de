#include "bench/measure/device_activity.h"

#include "tests/support/catch.h"

using rocktune::bench::BlockStat;
using rocktune::bench::device_activity;
using rocktune::bench::DeviceLook;
using rocktune::bench::format_block_stat;
using rocktune::bench::parse_block_stat;

TEST_CASE("a stat file is read back as written", "[bench][device]") {
  BlockStat stat;
  stat.read_ios = 11;
  stat.write_sectors = 1234567890123;
  stat.queue_ms = 7;
  stat.flush_ms = 5;
  const auto read = parse_block_stat(format_block_stat(stat), "stat");
  REQUIRE(read);
  CHECK(*read == stat);
  const auto old = parse_block_stat("1 2 3 4 5 6 7 8 9 10 11\n", "stat");
  REQUIRE(old);
  CHECK(old->queue_ms == 11);
  CHECK(old->flush_ios == 0);
  for (const char* wrong : {"", "1 2 3", "1 2 3 4 5 6 7 8 9 ten 11"}) {
    CHECK_FALSE(parse_block_stat(wrong, "stat"));
  }
}

TEST_CASE("a second of a device", "[bench][device]") {
  DeviceLook before;
  before.at_seconds = 100;
  DeviceLook after = before;
  after.at_seconds = 102;
  after.stat.read_ios = 200;
  after.stat.read_sectors = 4000;
  after.stat.read_ms = 100;
  after.stat.busy_ms = 1500;
  after.stat.queue_ms = 6000;
  const auto activity = device_activity(before, after);
  CHECK(activity["read_bytes_per_second"] == 4000 * 512 / 2.0);
  CHECK(activity["read_bytes"] == 4000 * 512.0);
  CHECK(activity["read_iops"] == 100.0);
  CHECK(activity["read_await_ms"] == 0.5);
  CHECK(activity["write_await_ms"].is_null());
  CHECK(activity["utilisation"] == 0.75);
  CHECK(activity["queue"] == 3.0);
  CHECK(device_activity(after, after).is_null());
}
