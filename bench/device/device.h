// An emulated NVMe that threads can use: locks the model, sleeps until a request would complete,
// and publishes its counters as a /sys/block-style `stat` file.
//
// Sleeping costs the scheduler's granularity (~60 us), so a thread that is less than 50 us ahead
// of the device does not sleep but carries that debt to its next request.
//
// <directory>/stat is replaced atomically ten times a second; <directory>/model says that this is
// no real device and what it imitates. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bench/device/model.h"
#include "model/result.h"

namespace rocktune::bench {

class EmulatedDevice {
 public:
  // kNone: a request returns at once, for measuring what the device itself costs. The thread's
  // device time runs ahead of the clock then.
  enum class Waiting { kSleep, kNone };

  // Creates `directory` (its parent must exist) and starts publishing and charging.
  static Result<std::unique_ptr<EmulatedDevice>> create(const scenario::DeviceProfile& profile,
                                                        const std::string& directory,
                                                        Waiting waiting = Waiting::kSleep);
  ~EmulatedDevice();  // publishes once more
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  // Returns when the device would have done it. Longer than max_request_bytes is split into parts
  // that are queued together.
  void transfer(IoKind kind, std::int64_t bytes);
  void sync();

  // While switched off nothing is charged (used for loading); counters stand still. Switching it on
  // starts the time that the profile's degradation counts from.
  void set_charging(bool on);
  [[nodiscard]] BlockStat stat();
  [[nodiscard]] const scenario::DeviceProfile& profile() const { return profile_; }

 private:
  EmulatedDevice(const scenario::DeviceProfile& profile, std::string directory, Waiting waiting);
  void charge(IoKind kind, std::int64_t bytes);
  Result<void> publish();
  void run();

  const scenario::DeviceProfile profile_;
  const std::string directory_;
  const Waiting waiting_;
  std::mutex mutex_;
  DeviceModel model_;  // guarded by mutex_
  std::atomic<bool> charging_{true};
  std::condition_variable stop_changed_;
  bool stop_ = false;  // guarded by mutex_
  std::thread publisher_;
};

}  // namespace rocktune::bench
