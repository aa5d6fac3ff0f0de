// LightAwait: how long a request of one direction takes while the device has next to nothing else
// to do, learnt online for each class of request sizes, since long ones take longer on any device.
// Pure; a fixed size, no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace rocktune {

class LightAwait {
 public:
  // A reading under light load: the mean size and await of the requests of one interval. What is
  // not finite and above zero is ignored.
  void learn(double request_bytes, double await_ms);
  // As if it had been learnt: a measured value, which is followed from there on.
  void know(double request_bytes, double await_ms);
  // The await of such requests under light load: a low quantile of what was seen of their class,
  // or of a neighbouring one. Absent until there were ten readings.
  [[nodiscard]] std::optional<double> ms(double request_bytes) const;
  void clear() { classes_ = {}; }

 private:
  static constexpr std::size_t kClasses = 9;  // 4 KiB and less, 8 KiB, ... 1 MiB and more
  struct Class {
    int readings = 0;
    double log_ms = 0;
  };
  static std::size_t class_of(double request_bytes);
  std::array<Class, kClasses> classes_{};
};

}  // namespace rocktune
