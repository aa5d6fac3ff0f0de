// Rates, latencies and counters of the emulated device.
#include <cmath>
#include <sstream>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/bench/device_model_support.h"

using rocktune::Nanoseconds;
using rocktune::seconds_between;
using rocktune::bench::BlockStat;
using rocktune::bench::DeviceModel;
using rocktune::bench::format_block_stat;
using rocktune::bench::IoKind;
using rocktune::bench::test::saturate;
using rocktune::bench::test::test_profile;
using rocktune::bench::test::Throughput;
using rocktune::scenario::DeviceProfile;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("one request costs its transfer and its latency", "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.read_latency_us = 80;
  profile.sync_latency_us = 500;
  DeviceModel model(profile);
  const Nanoseconds now = seconds(5);
  // 128 KiB at 400 MB/s are 327.68 us; one of 50,000 requests a second takes 20 us, of which its
  // 4 KiB take 10.24 us.
  CHECK(model.submit(IoKind::kRead, 131072, now) == now + Nanoseconds(327680 + 9760 + 80000));
  // A sync waits for what was queued, without taking the device.
  CHECK(model.submit(IoKind::kSync, 0, now) == now + Nanoseconds(337440 + 500000));
}

TEST_CASE("pure reads and pure writes reach their bandwidth", "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.read_iops = 1e9;
  profile.write_iops = 1e9;
  CHECK(saturate(profile, 8, 0, 131072).read_ops_per_second * 131072 ==
        Approx(400e6).epsilon(0.01));
  CHECK(saturate(profile, 0, 8, 131072).write_ops_per_second * 131072 ==
        Approx(200e6).epsilon(0.01));
}

TEST_CASE("small requests reach the IOPS", "[bench][device]") {
  CHECK(saturate(test_profile(), 16, 0, 4096).read_ops_per_second == Approx(50000).epsilon(0.01));
  CHECK(saturate(test_profile(), 0, 16, 4096).write_ops_per_second ==
        Approx(20000 / std::max(1.0, 20000 * 4096 / 200e6)).epsilon(0.01));
}

TEST_CASE("latency bounds a single requester, not the device", "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.read_latency_us = 80;
  CHECK(saturate(profile, 1, 0, 4096).read_ops_per_second == Approx(10000).epsilon(0.01));
  CHECK(saturate(profile, 4, 0, 4096).read_ops_per_second == Approx(40000).epsilon(0.01));
  CHECK(saturate(profile, 64, 0, 4096).read_ops_per_second == Approx(50000).epsilon(0.01));
}

TEST_CASE("half reads, half writes: each falls to about a quarter", "[bench][device]") {
  // Source 004: 25.6% of pure reads, 26.8% of pure writes.
  DeviceProfile profile = test_profile();
  profile.write_bytes_per_second = profile.read_bytes_per_second;
  profile.write_iops = profile.read_iops;
  const Throughput mixed = saturate(profile, 8, 8, 16384);
  const double pure_reads = saturate(profile, 8, 0, 16384).read_ops_per_second;
  const double pure_writes = saturate(profile, 0, 8, 16384).write_ops_per_second;
  CHECK(mixed.read_ops_per_second / pure_reads == Approx(0.26).margin(0.02));
  CHECK(mixed.write_ops_per_second / pure_writes == Approx(0.26).margin(0.02));

  profile.mixing_loss = 0;
  const Throughput fair = saturate(profile, 8, 8, 16384);
  CHECK(fair.read_ops_per_second / pure_reads == Approx(0.5).margin(0.01));
}

TEST_CASE("a mixed device lies on its capacity line", "[bench][device]") {
  const DeviceProfile profile = test_profile();
  const double pure_reads = saturate(profile, 8, 0, 16384).read_ops_per_second;
  const double pure_writes = saturate(profile, 0, 8, 16384).write_ops_per_second;
  for (const auto& [readers, writers] : {std::pair(12, 4), std::pair(4, 12), std::pair(15, 1)}) {
    const Throughput mixed = saturate(profile, readers, writers, 16384);
    const double u_r = mixed.read_ops_per_second / pure_reads;
    const double u_w = mixed.write_ops_per_second / pure_writes;
    INFO(readers << " readers, " << writers << " writers");
    CHECK(u_r + u_w + profile.mixing_loss * u_r * u_w == Approx(1).margin(0.06));
  }
}

TEST_CASE("mixing is forgotten once one direction rests", "[bench][device]") {
  DeviceModel model(test_profile());
  Nanoseconds now{0};
  for (int i = 0; i < 100; ++i) now = model.submit(IoKind::kWrite, 65536, now);
  const Nanoseconds disturbed = model.submit(IoKind::kRead, 4096, now) - now;
  now += seconds(1);
  const Nanoseconds calm = model.submit(IoKind::kRead, 4096, now) - now;
  CHECK(calm == microseconds(20));
  CHECK(disturbed > 3 * calm);
}

TEST_CASE("counters move as the kernel's do", "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.mixing_loss = 0;
  DeviceModel model(profile);
  // Ten reads of 100 KB at 400 MB/s, queued at once: 250 us each, and 9.76 us per request.
  Nanoseconds last{0};
  for (int i = 0; i < 1000; ++i) last = model.submit(IoKind::kRead, 100000, Nanoseconds{0});
  CHECK(last == Nanoseconds(1000 * 259760));

  BlockStat half = model.stat(last / 2);
  CHECK(half.read_ios == 500);
  CHECK(half.in_flight == 500);
  CHECK(half.busy_ms == 129);
  const BlockStat all = model.stat(last);
  CHECK(all.read_ios == 1000);
  CHECK(all.read_sectors == 1000 * 196);  // 100,000 bytes are 195.3 sectors
  CHECK(all.in_flight == 0);
  CHECK(all.busy_ms == 259);
  CHECK(all.read_ms == Approx(259.76 * 1001 / 2).epsilon(0.01));
  CHECK(all.queue_ms == all.read_ms);
  CHECK(all.write_ios == 0);

  // Idle time is not busy time; writes and syncs have their own fields.
  const Nanoseconds later = last + seconds(2);
  model.submit(IoKind::kWrite, 1000000, later);
  model.submit(IoKind::kSync, 0, later);
  const BlockStat end = model.stat(later + seconds(1));
  CHECK(end.write_ios == 1);
  CHECK(end.write_sectors == 1954);
  CHECK(end.write_ms == 5);
  CHECK(end.flush_ios == 1);
  CHECK(end.busy_ms == 264);
}

TEST_CASE("the stat line has the kernel's seventeen fields", "[bench][device]") {
  BlockStat stat;
  stat.read_ios = 1;
  stat.read_sectors = 3;
  stat.read_ms = 4;
  stat.write_ios = 5;
  stat.write_sectors = 123456789012;
  stat.write_ms = 8;
  stat.in_flight = 9;
  stat.busy_ms = 10;
  stat.queue_ms = 11;
  stat.flush_ios = 16;
  stat.flush_ms = 17;
  const std::string line = format_block_stat(stat);
  CHECK(line.back() == '\n');
  std::istringstream in(line);
  std::vector<std::uint64_t> fields;
  for (std::uint64_t field = 0; in >> field;) fields.push_back(field);
  CHECK(fields == std::vector<std::uint64_t>{1, 0, 3, 4, 5, 0, 123456789012, 8, 9, 10, 11, 0, 0, 0,
                                             0, 16, 17});
}
