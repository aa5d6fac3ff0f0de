// What a random scenario is drawn with. The same on every platform: no distribution of the standard
// library's, and numbers are written with few digits. Draw once in an expression: the order of two
// is the compiler's. Not thread-safe.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "scenario/workload/generator.h"

namespace rocktune::bench {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number)
      : random_(scenario::fnv_hash(scenario::fnv_hash(seed) + number)) {}

  bool chance(double share) { return random_.uniform() < share; }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  // Every order of magnitude alike; both above 0.
  double across(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  // Both ends included.
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[random_.below(values.size())];
  }

 private:
  scenario::Random random_;
};

// "0.123", "12345": at most so many digits after the point, and no zeros at the end of them.
inline std::string plain_number(double value, int after_point) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", after_point, value);
  std::string out = text;
  if (out.find('.') == std::string::npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

}  // namespace rocktune::bench
