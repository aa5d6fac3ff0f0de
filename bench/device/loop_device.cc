#include "bench/device/loop_device.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "bench/cli/stop.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

std::uint64_t at_least_one(double rate) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(rate)));
}

// The real path: the kernel names the file behind a loop device by it.
Result<std::string> work_directory(const std::string& wanted) {
  std::error_code error;
  const fs::path directory = wanted.empty() ? fs::temp_directory_path(error) : fs::path(wanted);
  if (error) return fail(ErrorCode::kIo, "no temporary directory: " + error.message());
  const fs::path real = fs::canonical(directory, error);
  if (error) return fail(ErrorCode::kIo, directory.string() + ": " + error.message());
  return real.string();
}

Result<void> make_trace_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0) return {};
  return fail(ErrorCode::kIo, path + ": cannot be made: " + std::strerror(errno));
}

Result<void> go_on() {
  if (!stop_requested()) return {};
  return fail(ErrorCode::kUnavailable, "stopped while the loop device was being set up");
}

}  // namespace

BlockLimits limits_of(const scenario::DeviceProfile& profile, double rates) {
  return {at_least_one(profile.read_bytes_per_second * rates),
          at_least_one(profile.write_bytes_per_second * rates),
          at_least_one(profile.read_iops * rates), at_least_one(profile.write_iops * rates)};
}

LoopDevice::LoopDevice(const scenario::DeviceProfile& profile, LoopTraces traces, LoopNote note)
    : profile_(profile), traces_(std::move(traces)), note_(std::move(note)) {}

Result<std::unique_ptr<TargetDevice>> LoopDevice::create(const scenario::DeviceProfile& profile,
                                                         const DevicePlace& place,
                                                         const std::string& notes) {
  if (auto possible = check_loop_possible(); !possible) return tl::unexpected(possible.error());
  const auto group = find_block_group("/proc");
  if (!group) return tl::unexpected(group.error());
  for (const LoopLeftover& left : take_down_leftovers(notes)) {
    std::fprintf(stderr, "rocktune-bench: %s what a killed run left: %s\n",
                 left.removed ? "removed" : "could not remove", left.traces.directory.c_str());
  }
  const auto directory = work_directory(place.work_directory);
  if (!directory) return tl::unexpected(directory.error());
  const std::string own = std::to_string(::getpid()) + "." + std::to_string(std::random_device{}());
  const LoopTraces traces{*directory + "/rocktune-loop." + own,
                          group->parent + "/rocktune-bench." + own};
  auto note = LoopNote::write(notes, traces);
  if (!note) return tl::unexpected(note.error());
  std::unique_ptr<LoopDevice> device(new LoopDevice(profile, traces, std::move(*note)));
  if (auto made = device->set_up(*group, place.capacity_bytes); !made) {
    return tl::unexpected(made.error().within("throttled loop device"));
  }
  return device;
}

Result<void> LoopDevice::set_up(const BlockGroup& group, std::int64_t capacity_bytes) {
  auto done = make_trace_directory(traces_.directory)
                  .and_then([&] { return make_trace_directory(traces_.mount_point()); })
                  .and_then([&] { return make_sparse_file(traces_.image(), capacity_bytes); });
  if (!done) return done;
  const auto loop = attach_loop(traces_.image());
  if (!loop) return tl::unexpected(loop.error());
  loop_ = *loop;
  done = go_on().and_then([&] { return make_ext4(loop_); }).and_then(go_on).and_then([&] {
    return mount_ext4(loop_, traces_.mount_point());
  });
  if (!done) return done;
  const auto number = device_number(loop_);
  if (!number) return tl::unexpected(number.error());
  auto throttle =
      BlockThrottle::create(group, fs::path(traces_.group).filename().string(), *number);
  if (!throttle) return tl::unexpected(throttle.error());
  throttle_.emplace(std::move(*throttle));
  return throttle_->enter().and_then([&] { return set_charging(true); });
}

LoopDevice::~LoopDevice() {
  stop_degrading();
  throttle_.reset();
  if (!take_down(traces_)) {
    std::fprintf(stderr, "rocktune-bench: could not remove all of %s\n", traces_.directory.c_str());
    note_.keep();
  }
}

Result<void> LoopDevice::set_charging(bool on) {
  stop_degrading();
  auto degraded = std::exchange(degraded_, {});
  if (!on) return throttle_->limit({}).and_then([&] { return degraded; });
  // What was written at full speed is on the device before it is measured.
  if (const int directory = ::open(traces_.mount_point().c_str(), O_RDONLY | O_CLOEXEC);
      directory >= 0) {
    ::syncfs(directory);
    ::close(directory);
  }
  auto limited = throttle_->limit(limits_of(profile_, 1));
  if (limited && !profile_.degradation.empty()) {
    degrading_ = std::thread([this] { degrade(); });
  }
  return limited;
}

void LoopDevice::degrade() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (const scenario::Degradation& step : profile_.degradation) {
    const auto due = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                 std::chrono::duration<double>(step.after_seconds));
    if (stop_changed_.wait_until(lock, due, [this] { return stop_; })) return;
    degraded_ = throttle_->limit(limits_of(profile_, step.rates));
    if (!degraded_) {
      degraded_ = tl::unexpected(degraded_.error().within("the device's degradation"));
      return;
    }
  }
}

void LoopDevice::stop_degrading() {
  if (!degrading_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_changed_.notify_all();
  degrading_.join();
  stop_ = false;
}

}  // namespace rocktune::bench
