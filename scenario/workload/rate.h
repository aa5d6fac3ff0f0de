// How many operations a second are due in a phase, as a function of time: constant, a ramp, or the
// sine by which Cao et al. (FAST 2020) describe the daily course of Facebook's workloads
// (a * sin(b * t + c) + d). In YAML:
//
//   ops_per_second: 5000                         # absent or 0: as fast as possible
//   ops_per_second: {from: 1000, to: 8000}       # over the phase
//   ops_per_second: {sine: {a: 1000, b: 0.1, c: 0, d: 4500}}   # b in radians per second
//
// The schedule follows from the integral of the rate: operation n is due when n operations have
// come due, so that ramps and sines neither lose nor gain an operation. Pure; t in seconds since
// the phase began.
#pragma once

#include <optional>
#include <string>

#include "scenario/located_yaml.h"

namespace rocktune::scenario {

struct Sine {
  double a = 0;
  double b = 0;
  double c = 0;
  double d = 0;  // at least |a|: no rate is below zero
  bool operator==(const Sine&) const = default;
};

struct RatePlan {
  double from = 0;  // operations per second; both 0: as fast as possible
  double to = 0;
  std::optional<Sine> sine;

  static RatePlan constant(double ops_per_second) { return {ops_per_second, ops_per_second, {}}; }
  [[nodiscard]] bool paced() const { return sine || from > 0 || to > 0; }
  bool operator==(const RatePlan&) const = default;
};

// Leaves `out` alone when the key is absent or wrong.
void read_rate(MapReader& map, const std::string& key, Problems& problems, RatePlan& out);
// "5000", "1000 to 8000", "1000 sin(0.1 t + 0) + 4500"; "as fast as possible".
std::string rate_text(const RatePlan& plan);

// A plan over a phase of a certain length.
class Rate {
 public:
  Rate(const RatePlan& plan, double seconds) : plan_(plan), seconds_(seconds) {}

  [[nodiscard]] bool paced() const { return plan_.paced(); }
  // How many operations have come due after `t` seconds; paced only.
  [[nodiscard]] double due_by(double t) const;
  // When operation number `n`, counted from 0, is due; infinity when it never is. Paced only.
  [[nodiscard]] double when(double n) const;

 private:
  [[nodiscard]] double sine_due_by(double t) const;
  [[nodiscard]] double sine_when(double n) const;
  RatePlan plan_;
  double seconds_;
};

}  // namespace rocktune::scenario
