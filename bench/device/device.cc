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

std::string describe(const scenario::DeviceProfile& profile) {
  return "# An emulated device, no real one. What it imitates, as used (scaled):\n" +
         scenario::format_device_profile(profile);
}

}  // namespace

EmulatedDevice::EmulatedDevice(const scenario::DeviceProfile& profile, std::string directory,
                               Waiting waiting)
    : profile_(profile), directory_(std::move(directory)), waiting_(waiting), model_(profile) {
  model_.begin(monotonic_now());
}

Result<std::unique_ptr<EmulatedDevice>> EmulatedDevice::create(
    const scenario::DeviceProfile& profile, const std::string& directory, Waiting waiting) {
  std::error_code error;
  std::filesystem::create_directory(directory, error);
  if (error) {
    return fail(ErrorCode::kIo, directory + ": cannot be created: " + error.message());
  }
  std::unique_ptr<EmulatedDevice> device(new EmulatedDevice(profile, directory, waiting));
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
  if (charging_.exchange(on) || !on) return;
  const std::lock_guard lock(mutex_);
  model_.begin(monotonic_now());
}

void EmulatedDevice::transfer(IoKind kind, std::int64_t bytes) {
  if (bytes > 0) charge(kind, bytes);
}

void EmulatedDevice::sync() {
  charge(IoKind::kSync, 0);
}

void EmulatedDevice::charge(IoKind kind, std::int64_t bytes) {
  if (!charging_.load(std::memory_order_relaxed)) return;
  ThreadTime& mine = thread_time();
  const Nanoseconds now = monotonic_now();
  mine.at = std::max(mine.at, now);
  const Nanoseconds arrival = mine.at;
  {
    const std::lock_guard lock(mutex_);
    do {
      const std::int64_t part = std::min(bytes, profile_.max_request_bytes);
      mine.at = std::max(mine.at, model_.submit(kind, part, arrival));
      bytes -= part;
    } while (bytes > 0);
  }
  if (waiting_ == Waiting::kSleep && mine.at - now >= kSmallestSleep) sleep_until(mine.at);
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
