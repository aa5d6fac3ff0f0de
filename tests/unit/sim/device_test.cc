#include "sim/device.h"

#include <array>
#include <cmath>
#include <vector>

#include "sim/random.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

// 100 MB/s either way, 25,000 small requests a second, nothing lost by mixing.
DeviceLaws slow_device() {
  return {{100e6, 25000}, {100e6, 25000}, 0, 100e-6};
}

DeviceJob compaction(double work_seconds = 0) {
  DeviceJob job;
  job.work_seconds = work_seconds;
  job.read_bytes = job.write_bytes = 1;
  return job;
}

double service(double bytes) {
  return capacity_share({100e6, 25000}, bytes, 1);
}

TEST_CASE("an idle device answers at once") {
  const DeviceUse use = share_device(slow_device(), {}, 8, {});
  CHECK(use.load == 0);
  CHECK(use.busy_ratio == 0);
  CHECK(use.read_wait_seconds == 0);
  CHECK(use.read_seconds == Approx(100e-6 + service(4096)));
}

TEST_CASE("a job alone goes as fast as its own work and the device let it") {
  std::array jobs = {compaction(1 / 50e6)};
  const DeviceUse use = share_device(slow_device(), {}, 8, jobs);
  // A byte: 20 ns of work, 10 ns to read and 10 ns to write, with the small fixed times of pieces.
  CHECK(jobs[0].bytes_per_second == Approx(25e6).epsilon(0.01));
  CHECK(use.load == Approx(0.5).epsilon(0.01));
}

TEST_CASE("reads wait behind a job's pieces: smaller pieces, shorter waits, the same work") {
  const ForegroundIo reads{2000, 4096, 0};
  std::array large = {compaction(1 / 50e6)};
  std::array small = large;
  large[0].write_piece_bytes = large[0].read_piece_bytes = test::kMega;
  small[0].write_piece_bytes = small[0].read_piece_bytes = test::kMega / 8;
  const DeviceUse behind_large = share_device(slow_device(), reads, 8, large);
  const DeviceUse behind_small = share_device(slow_device(), reads, 8, small);
  // Half of a piece of 10.5 ms, as often as the job is there.
  CHECK(behind_large.read_wait_seconds == Approx(0.5 * 10.5e-3 / 2).epsilon(0.25));
  CHECK(behind_small.read_wait_seconds < behind_large.read_wait_seconds / 4);
  CHECK(small[0].bytes_per_second == Approx(large[0].bytes_per_second).epsilon(0.15));
}

TEST_CASE("jobs alike get alike, and together no more than there is") {
  std::array jobs = {compaction(), compaction(), compaction()};
  const DeviceUse use = share_device(slow_device(), {}, 8, jobs);
  CHECK(jobs[0].bytes_per_second == Approx(jobs[2].bytes_per_second));
  CHECK(use.load <= 1);
  CHECK(use.load > 0.9);
  CHECK(3 * jobs[0].bytes_per_second == Approx(50e6).epsilon(0.1));
}

TEST_CASE("a limiter holds a job back, and the device is free for the rest") {
  std::array jobs = {compaction()};
  jobs[0].most_bytes_per_second = 5e6;
  const DeviceUse use = share_device(slow_device(), {}, 8, jobs);
  CHECK(jobs[0].bytes_per_second == Approx(5e6).epsilon(0.01));
  CHECK(use.load == Approx(0.1).epsilon(0.05));
}

TEST_CASE("the more is read the less is left to jobs") {
  double before = 1e18;
  for (const double reads : {0.0, 5000.0, 10000.0, 20000.0, 24000.0}) {
    std::array jobs = {compaction(1 / 80e6)};
    share_device(slow_device(), {reads, 4096, 0}, 8, jobs);
    CHECK(jobs[0].bytes_per_second < before);
    before = jobs[0].bytes_per_second;
  }
}

TEST_CASE("whatever is asked for, all figures are finite and the device gives no more than it has",
          "[property]") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    INFO("seed " << seed);
    Random random(seed, 3);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, random.uniform());
    };
    DeviceLaws laws{{between(1e6, 1e10), between(100, 2e6)},
                    {between(1e6, 1e10), between(100, 2e6)},
                    2 * random.uniform() - 0.5,
                    between(1e-5, 1e-2)};
    const ForegroundIo foreground{between(1, 3e6), between(512, 65536), between(1, 1e9)};
    std::vector<DeviceJob> jobs(random.next() % 17);
    for (DeviceJob& job : jobs) {
      job.work_seconds = between(1e-10, 1e-6);
      job.read_bytes = random.uniform() < 0.2 ? 0 : 1;
      job.write_bytes = random.uniform();
      job.write_piece_bytes = between(65536, 8 * test::kMega);
    }
    const DeviceUse use = share_device(laws, foreground, between(1, 64), jobs);
    CHECK(std::isfinite(use.read_seconds));
    CHECK(use.read_seconds > 0);
    CHECK(use.load >= 0);
    CHECK(use.load <= 1);
    CHECK(use.busy_ratio <= 1);
    for (const DeviceJob& job : jobs) {
      CHECK(std::isfinite(job.bytes_per_second));
      CHECK(job.bytes_per_second >= 0);
    }
  }
}

}  // namespace
}  // namespace rocktune::sim
