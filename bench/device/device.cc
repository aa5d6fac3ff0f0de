#include "bench/device/device.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bench/time/clock.h"

namespace rocktune::bench {
namespace {

constexpr Nanoseconds kSmallestSleep = std::chrono::microseconds(50);
constexpr auto kPublishInterval = std::chrono::milliseconds(100);

// Where this thread is in device time: ahead of the clock by what it has not slept yet.
struct ThreadTime {
  Nanoseconds at{0};
  ThreadTime() { sharpen_sleep(); }
};

ThreadTime& thread_time() {
  thread_local ThreadTime time;
  return time;
}

bool write_atomically(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) return false;
  }
  return std::rename(temporary.c_str(), path.c_str()) == 0;
}

std::string describe(const DeviceProfile& profile) {
  char rates[256];
  std::snprintf(rates, sizeof rates,
                "read_bytes_per_second: %.0f\nwrite_bytes_per_second: %.0f\nread_iops: %.0f\n"
                "write_iops: %.0f\nmixing_loss: %g\n",
                profile.read_bytes_per_second, profile.write_bytes_per_second, profile.read_iops,
                profile.write_iops, profile.mixing_loss);
  return "emulated device\nname: " + profile.name + "\ndescription: " + profile.description + "\n" +
         rates;
}

}  // namespace

EmulatedDevice::EmulatedDevice(const DeviceProfile& profile, std::string directory)
    : profile_(profile), directory_(std::move(directory)), model_(profile) {}

Result<std::unique_ptr<EmulatedDevice>> EmulatedDevice::create(const DeviceProfile& profile,
                                                               const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directory(directory, error);
  if (error) {
    return fail(ErrorCode::kIo, directory + ": cannot be created: " + error.message());
  }
  std::unique_ptr<EmulatedDevice> device(new EmulatedDevice(profile, directory));
  if (!write_atomically(directory + "/model", describe(profile))) {
    return fail(ErrorCode::kIo, directory + "/model: cannot be written: " + std::strerror(errno));
  }
  if (auto published = device->publish(); !published) return tl::unexpected(published.error());
  device->publisher_ = std::thread([raw = device.get()] { raw->run(); });
  return device;
}

EmulatedDevice::~EmulatedDevice() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_changed_.notify_all();
  if (publisher_.joinable()) publisher_.join();
}

void EmulatedDevice::set_charging(bool on) {
  charging_.store(on, std::memory_order_relaxed);
}

void EmulatedDevice::transfer(IoKind kind, std::int64_t bytes) {
  if (!charging_.load(std::memory_order_relaxed)) return;
  while (bytes > 0) {
    const std::int64_t part = std::min(bytes, profile_.max_request_bytes);
    charge(kind, part);
    bytes -= part;
  }
}

void EmulatedDevice::sync() {
  if (charging_.load(std::memory_order_relaxed)) charge(IoKind::kSync, 0);
}

void EmulatedDevice::charge(IoKind kind, std::int64_t bytes) {
  ThreadTime& mine = thread_time();
  const Nanoseconds now = monotonic_now();
  mine.at = std::max(mine.at, now);
  {
    const std::lock_guard lock(mutex_);
    mine.at = model_.submit(kind, bytes, mine.at);
  }
  if (mine.at - now >= kSmallestSleep) sleep_until(mine.at);
}

BlockStat EmulatedDevice::stat() {
  const std::lock_guard lock(mutex_);
  return model_.stat(monotonic_now());
}

Result<void> EmulatedDevice::publish() {
  if (!write_atomically(directory_ + "/stat", format_block_stat(stat()))) {
    return fail(ErrorCode::kIo, directory_ + "/stat: cannot be written: " + std::strerror(errno));
  }
  return {};
}

void EmulatedDevice::run() {
  auto due = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!stop_) {
    due += kPublishInterval;
    stop_changed_.wait_until(lock, due, [this] { return stop_; });
    lock.unlock();
    // A full disk or a removed directory leaves a stat that no longer moves, which its readers
    // notice; the database on top must not suffer from it.
    if (auto published = publish(); !published) {
      std::fprintf(stderr, "emulated device: %s\n", published.error().message.c_str());
      return;
    }
    lock.lock();
  }
}

}  // namespace rocktune::bench
