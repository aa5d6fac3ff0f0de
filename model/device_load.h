// DeviceLoad: how much of what a device can do is in use (rho, 1 = it does no more), from the bytes
// and requests per second of /sys/block and the device's capacities (model/device_capacities.h):
//
//   rho = correction * (u_r + u_w + eta * u_r * u_w)
//
// A direction's capacity is probed, or learnt, or not known. Learnt is only from readings at which
// the device was seen to do no more, never from the most that a load asked for: for at least 5 s, 8
// requests in flight that take 3 times as long as under light load, while a longer queue brings
// no more throughput. By Little's law such a device does a third of what that queue would bring at
// light load, so what it does then is its limit. Until that was seen there is no rho.
//
// The correction follows a probed device that does no longer, or does again, what it was probed at:
// at its limit it is drawn to where rho is 1; where rho is above 0.85 and yet reads take no longer
// than under light load, to where rho is 0.85. What is learnt follows by itself: its correction
// stays 1.
//
// Every value is finite and bounded, whatever comes in. Pure; a fixed size, no allocation. Not
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "model/clock.h"
#include "model/device_capacities.h"
#include "model/features.h"
#include "model/light_await.h"

namespace rocktune {

// Never any, or not in one of the two that a rate takes.
inline constexpr const char* kNoDeviceStatistics =
    "no statistics of a device were read in the last two samples";

class DeviceLoad {
 public:
  // A load above this is saturation; 3 times the light-load await is, too.
  static constexpr double kLoadLimit = 0.85;
  static constexpr double kAwaitRatioLimit = 3;
  static constexpr double kLeastCorrection = 0.5, kMostCorrection = 4;

  enum class Origin { kAbsent, kLearnt, kProbed };

  explicit DeviceLoad(const DeviceCapacities& capacities = {});

  // One reading, in order of its time. After a gap or a clock that steps back windows begin anew;
  // what was learnt stays.
  void update(const Features& features);

  // Of the last reading, 0 to 10.
  [[nodiscard]] std::optional<double> rho() const { return rho_; }
  [[nodiscard]] Origin origin() const { return origin_; }
  [[nodiscard]] const char* why_absent() const { return why_absent_; }  // null: rho is there

  // Await over its light-load value for requests of that size, of the last reading: of reads, and
  // of what waits most (reads where there are any, else writes).
  [[nodiscard]] std::optional<double> read_await_ratio() const { return read_ratio_; }
  [[nodiscard]] std::optional<double> await_ratio() const { return ratio_; }
  // How long a read of that size takes under light load, ms, as far as it was learnt.
  [[nodiscard]] std::optional<double> light_read_ms(double request_bytes) const {
    return light_reads_.ms(request_bytes);
  }
  // Requests wait for each other: at least 4 in flight, and over the last 15 s a longer queue
  // brought no more throughput.
  [[nodiscard]] bool queue_is_useless() const { return useless_; }
  [[nodiscard]] double correction() const { return correction_; }

  // Forgets all that was learnt: the device may be another one.
  void clear();

 private:
  // 64 KiB a second, and requests a second, of reads and then of writes.
  using Traffic = std::array<double, 4>;
  struct Reading {
    Nanoseconds tick{0};
    double log_queue = 0, log_work = 0;
  };

  [[nodiscard]] static std::optional<Traffic> traffic_of(const Features& features);
  void restart_windows();
  void learn_light(const Features& features, double queue);
  void compare_awaits(const Features& features);
  void add_reading(Nanoseconds tick, double queue, double work);
  [[nodiscard]] bool throughput_rises() const;
  void note_limit(const Traffic& traffic, Nanoseconds tick, double queue);
  void learn_capacity(const Traffic& traffic);
  void correct(const Traffic& traffic, double elapsed_seconds, bool at_limit);
  [[nodiscard]] double raw_load(const Traffic& traffic) const;
  void tell(const Traffic& traffic);

  DeviceCapacities capacities_;
  LightAwait light_reads_, light_writes_;
  // Seconds of the device for each unit of traffic; and how much was learnt of each direction:
  // 0.5 is enough to use it.
  Traffic costs_{};
  std::array<double, 2> known_{};
  double correction_ = 1;

  std::array<Reading, 64> readings_{};
  std::size_t next_ = 0, count_ = 0;
  std::optional<Nanoseconds> last_tick_, at_limit_since_, learnt_at_;

  std::optional<double> rho_, read_ratio_, ratio_;
  Origin origin_ = Origin::kAbsent;
  bool useless_ = false;
  const char* why_absent_ = "nothing was read yet";
};

}  // namespace rocktune
