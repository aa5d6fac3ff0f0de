// A real device that saturates: a loop device over a sparse file, with an ext4 file system, whose
// bytes and requests per second the kernel limits for this process. Needs root.
//
// Only bandwidth and IOPS of the profile are there; latencies are those of the disk below, reads
// and writes are limited apart (no mixing loss), and so is there no write cache. Scheduled
// degradation is.
// Flush, compaction and reads must use direct I/O to be slowed down (with cgroup v1); the WAL,
// which RocksDB never writes so, goes to the page cache at full speed there.
//
// Everything is taken down by the destructor, after a failed step too; what a killed process left,
// by the next one (loop_traces.h). Close the databases first.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "bench/device/block_throttle.h"
#include "bench/device/loop_control.h"
#include "bench/device/loop_traces.h"
#include "bench/device/target_device.h"

namespace rocktune::bench {

class LoopDevice : public TargetDevice {
 public:
  static Result<std::unique_ptr<TargetDevice>> create(const scenario::DeviceProfile& profile,
                                                      const DevicePlace& place,
                                                      const std::string& notes = kLoopNotes);
  ~LoopDevice() override;

  [[nodiscard]] std::string label() const override { return "throttled loop device"; }
  [[nodiscard]] const scenario::DeviceProfile* profile() const override { return &profile_; }
  [[nodiscard]] std::optional<std::string> directory() const override {
    return traces_.mount_point();
  }
  [[nodiscard]] std::optional<std::string> stat_path() const override { return loop_.stat_path(); }
  [[nodiscard]] bool direct_io() const override { return true; }
  Result<void> set_charging(bool on) override;

 private:
  LoopDevice(const scenario::DeviceProfile& profile, LoopTraces traces, LoopNote note);
  Result<void> set_up(const BlockGroup& group, std::int64_t capacity_bytes);
  void degrade();  // the thread's
  void stop_degrading();

  const scenario::DeviceProfile profile_;
  const LoopTraces traces_;
  LoopNote note_;  // goes last
  LoopNumber loop_;
  std::optional<BlockThrottle> throttle_;

  std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stop_ = false;      // guarded by mutex_
  Result<void> degraded_;  // the thread's, while it runs; an Error: a step could not be made
  std::thread degrading_;
};

// The kernel's limits that a profile's rates come to.
BlockLimits limits_of(const scenario::DeviceProfile& profile, double rates);

}  // namespace rocktune::bench
