// What must hold of the emulated device whatever the profile, and its buffer, cache and
// degradation.
#include <algorithm>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/bench/device_model_support.h"

using rocktune::Nanoseconds;
using rocktune::seconds_between;
using rocktune::bench::BlockStat;
using rocktune::bench::DeviceModel;
using rocktune::bench::IoKind;
using rocktune::bench::test::saturate;
using rocktune::bench::test::test_profile;
using rocktune::bench::test::Throughput;
using rocktune::scenario::DeviceProfile;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// Latencies and growth, a cache and a mixing loss: everything at once.
DeviceProfile full_profile() {
  DeviceProfile profile = test_profile();
  profile.read_latency_us = 80;
  profile.write_latency_us = 20;
  profile.larger_read_latency_us = {{65536, 200}, {1048576, 250}};
  profile.read_latency_growth = {3.7, 0.3, 0.3, 0.01};
  profile.write_cache = {64 << 20, 50e6, 100e6};
  profile.degradation = {{1, 0.5}};
  return profile;
}

// A fixed sequence of requests that depends on `seed` alone.
std::vector<Nanoseconds> completions(const DeviceProfile& profile, std::uint64_t seed, int count) {
  DeviceModel model(profile);
  std::vector<Nanoseconds> out;
  Nanoseconds now{0};
  std::uint64_t state = seed;
  for (int i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto kind = static_cast<IoKind>((state >> 33) % 3);
    const std::int64_t bytes = static_cast<std::int64_t>(4096 << ((state >> 40) % 6));
    now += Nanoseconds((state >> 50) * 40);
    out.push_back(model.submit(kind, kind == IoKind::kSync ? 0 : bytes, now));
  }
  return out;
}

// The time in which one writer has written so much, from `model`'s state on.
double seconds_to_write(DeviceModel& model, std::int64_t bytes, Nanoseconds& now) {
  const Nanoseconds begin = now;
  for (std::int64_t written = 0; written < bytes; written += 131072) {
    now = model.submit(IoKind::kWrite, 131072, now);
  }
  return seconds_between(begin, now);
}

}  // namespace

TEST_CASE("the same requests take the same time, whatever the profile", "[bench][device]") {
  const auto once = completions(full_profile(), 7, 20000);
  CHECK(completions(full_profile(), 7, 20000) == once);
  CHECK(completions(full_profile(), 8, 20000) != once);
}

TEST_CASE("no request completes before its arrival, and none is lost", "[bench][device]") {
  DeviceModel model(full_profile());
  Nanoseconds now{0};
  Nanoseconds last{0};
  for (int i = 0; i < 5000; ++i) {
    now += microseconds(100 + i % 700);
    const Nanoseconds completion =
        model.submit(i % 3 == 0 ? IoKind::kWrite : IoKind::kRead, 65536, now);
    REQUIRE(completion > now);
    last = std::max(last, completion);
    const BlockStat stat = model.stat(now);
    REQUIRE(stat.read_ios + stat.write_ios + stat.in_flight == static_cast<std::uint64_t>(i) + 1);
  }
  CHECK(model.stat(last).in_flight == 0);
}

TEST_CASE("the server works as long as there is work: the order of requests changes no total",
          "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.mixing_loss = 0;
  // 600 requests at once, in blocks or alternating: the device is done at the same time.
  std::vector<Nanoseconds> done;
  for (const int block : {1, 10, 300}) {
    DeviceModel model(profile);
    Nanoseconds last{0};
    for (int i = 0; i < 600; ++i) {
      last = model.submit((i / block) % 2 == 0 ? IoKind::kRead : IoKind::kWrite, 65536,
                          Nanoseconds{0});
    }
    done.push_back(last);
  }
  CHECK(done[0] == done[1]);
  CHECK(done[1] == done[2]);
}

TEST_CASE("more load never makes a read faster", "[bench][device]") {
  for (const bool growth : {false, true}) {
    DeviceProfile profile = test_profile();
    profile.read_latency_us = 80;
    if (growth) profile.read_latency_growth = {3.7, 0.3, 0.3, 0.01};
    double before_us = 0;
    for (const int writes_per_second : {0, 100, 400, 800, 1200}) {
      DeviceModel model(profile);
      Nanoseconds next_write{0};
      double sum_us = 0;
      for (int i = 0; i < 2000; ++i) {  // a read each millisecond, writes in between
        const Nanoseconds now = milliseconds(i);
        while (writes_per_second > 0 && next_write <= now) {
          model.submit(IoKind::kWrite, 65536, next_write);
          next_write += Nanoseconds(1'000'000'000 / writes_per_second);
        }
        sum_us += seconds_between(now, model.submit(IoKind::kRead, 4096, now)) * 1e6;
      }
      INFO(writes_per_second << " writes a second");
      CHECK(sum_us / 2000 >= before_us);
      before_us = sum_us / 2000;
    }
    CHECK(before_us > 2 * 100);
  }
}

TEST_CASE("time in flight in the counters is Little's law", "[bench][device]") {
  // 16 requests in flight at any time: queue_ms grows 16 times as fast as the clock, and as the
  // mean latency times the rate.
  DeviceProfile profile = test_profile();
  profile.read_latency_us = 80;
  profile.read_latency_growth = {3.7, 0.3, 0.3, 0.01};
  DeviceModel model(profile);
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> turns;
  for (int i = 0; i < 16; ++i) turns.push(Nanoseconds{0});
  double latency_seconds = 0;
  double count = 0;
  while (turns.top() < seconds(5)) {
    const Nanoseconds now = turns.top();
    turns.pop();
    const Nanoseconds completion =
        model.submit(static_cast<int>(count) % 3 == 0 ? IoKind::kWrite : IoKind::kRead, 16384, now);
    latency_seconds += seconds_between(now, completion);
    count += 1;
    turns.push(completion);
  }
  const BlockStat stat = model.stat(seconds(5));
  CHECK(stat.queue_ms == Approx(16 * 5000).epsilon(0.001));
  CHECK(stat.read_ms + stat.write_ms == Approx(static_cast<double>(stat.queue_ms)).margin(1));
  const double done = static_cast<double>(stat.read_ios + stat.write_ios);
  CHECK(static_cast<double>(stat.queue_ms) / 5000 ==
        Approx(done / 5 * latency_seconds / count).epsilon(0.001));
  CHECK(stat.busy_ms == Approx(5000).margin(1));
}

TEST_CASE("a cache that fills slows writes down until it has drained", "[bench][device]") {
  DeviceProfile profile = test_profile();  // 200 MB/s
  profile.write_iops = 1e9;
  profile.write_cache = {100 << 20, 25e6, 50e6};
  DeviceModel model(profile);
  Nanoseconds now{0};
  // It fills by 200 - 50 MB/s: full after 104.9 MB / 150 MB/s, in which 139.8 MB are written.
  CHECK(seconds_to_write(model, 139'000'000, now) == Approx(139e6 / 200e6).epsilon(0.01));
  const Nanoseconds before = now;
  CHECK(seconds_to_write(model, 5'000'000, now) > 0.12);  // 25 MB/s, not 200
  // It drains in 104.9 MB / 50 MB/s, 2.1 s; then writes are fast again.
  CHECK(seconds_to_write(model, 40'000'000, now) > 1.2);
  now = before + milliseconds(2300);
  CHECK(seconds_to_write(model, 20'000'000, now) == Approx(0.1).epsilon(0.02));

  // A pause drains it as well, and reads do not care.
  DeviceModel rested(profile);
  now = Nanoseconds{0};
  seconds_to_write(rested, 150'000'000, now);
  CHECK(rested.submit(IoKind::kRead, 4096, now) - now < milliseconds(1));
  now += seconds(3);
  CHECK(seconds_to_write(rested, 20'000'000, now) == Approx(0.1).epsilon(0.02));
}

TEST_CASE("writes below the drain rate never fill the cache", "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.write_cache = {16 << 20, 25e6, 50e6};
  DeviceModel model(profile);
  // 40 MB/s for ten seconds.
  for (int i = 0; i < 3000; ++i) {
    const Nanoseconds now = Nanoseconds(i * 3'276'800L);
    REQUIRE(model.submit(IoKind::kWrite, 131072, now) - now < milliseconds(1));
  }
}

TEST_CASE("scheduled degradation scales every rate from its second on", "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.degradation = {{60, 0.5}, {90, 0.25}, {120, 1}};
  DeviceModel model(profile);
  const Nanoseconds begin = seconds(1000);
  model.begin(begin);
  const auto read_us = [&](int second, std::int64_t bytes) {
    const Nanoseconds now = begin + seconds(second);
    return seconds_between(now, model.submit(IoKind::kRead, bytes, now)) * 1e6;
  };
  CHECK(read_us(0, 4096) == Approx(20));
  CHECK(read_us(59, 131072) == Approx(337.44));
  CHECK(read_us(60, 131072) == Approx(2 * 337.44));
  CHECK(read_us(61, 4096) == Approx(40));
  CHECK(read_us(95, 4096) == Approx(80));
  CHECK(read_us(121, 4096) == Approx(20));
  // Charging that begins anew counts from zero.
  model.begin(begin + seconds(200));
  CHECK(read_us(210, 4096) == Approx(20));
  CHECK(read_us(261, 4096) == Approx(40));
}

TEST_CASE("larger requests have their own latency", "[bench][device]") {
  using rocktune::bench::idle_latency_us;
  const DeviceProfile profile = full_profile();
  CHECK(idle_latency_us(profile, IoKind::kRead, 512) == Approx(80));
  CHECK(idle_latency_us(profile, IoKind::kRead, 4096) == Approx(80));
  CHECK(idle_latency_us(profile, IoKind::kRead, 16384) == Approx(140));  // two of four doublings
  CHECK(idle_latency_us(profile, IoKind::kRead, 65536) == Approx(200));
  CHECK(idle_latency_us(profile, IoKind::kRead, 1 << 24) == Approx(250));
  CHECK(idle_latency_us(profile, IoKind::kWrite, 65536) == Approx(20));
}

TEST_CASE("buffered writes are acknowledged at once, and reads wait for them", "[bench][device]") {
  DeviceProfile profile = test_profile();  // writes 200 MB/s
  profile.mixing_loss = 0;
  profile.write_latency_us = 20;
  profile.write_iops = 1e9;
  profile.write_buffer_bytes = 1 << 20;
  DeviceModel model(profile);
  // Eight writes of 128 KiB have room; each takes 655.36 us of the device.
  for (int i = 0; i < 8; ++i) {
    CHECK(model.submit(IoKind::kWrite, 131072, Nanoseconds{0}) == microseconds(20));
  }
  // The ninth waits for the first to be done, the tenth for the second.
  CHECK(model.submit(IoKind::kWrite, 131072, Nanoseconds{0}) == Nanoseconds(655360 + 20000));
  CHECK(model.submit(IoKind::kWrite, 131072, Nanoseconds{0}) == Nanoseconds(1310720 + 20000));
  // A read waits for all ten.
  CHECK(model.submit(IoKind::kRead, 4096, Nanoseconds{0}) == Nanoseconds(6553600 + 20000));

  // It changes who waits, not what the device can do.
  CHECK(saturate(profile, 0, 32, 131072).write_ops_per_second ==
        Approx(200e6 / 131072).epsilon(0.01));
  profile.mixing_loss = 7.1;
  DeviceProfile unbuffered = profile;
  unbuffered.write_buffer_bytes = 0;
  for (const int readers : {1, 8}) {
    const Throughput with = saturate(profile, readers, 32, 131072);
    const Throughput without = saturate(unbuffered, readers, 32, 131072);
    CHECK(with.write_ops_per_second >= without.write_ops_per_second);
  }
}

TEST_CASE("a write that is larger than the buffer waits until it is done", "[bench][device]") {
  DeviceProfile profile = test_profile();
  profile.write_iops = 1e9;
  profile.write_buffer_bytes = 65536;
  DeviceModel model(profile);
  CHECK(model.submit(IoKind::kWrite, 131072, Nanoseconds{0}) == Nanoseconds(655360));
}
