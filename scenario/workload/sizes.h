// A distribution of whole numbers: sizes of values in bytes, lengths of scans in records. Read from
// YAML as a plain number or a map:
//
//   value_size: 1000                                     # or 4KiB
//   value_size: {kind: uniform, min: 100, max: 2KiB}     # both ends included
//   value_size: {kind: list, values: [{size: 100, weight: 3}, {size: 4KiB, weight: 1}]}
//   value_size: {kind: pareto, k: 0.2615, sigma: 25.45, theta: 0, min: 10, max: 1MiB}
//
// "pareto" is the generalised Pareto distribution, by which Cao et al. (FAST 2020) describe the
// values and scans of Facebook's workloads: value = theta + sigma/k * ((1-u)^-k - 1), k = 0 its
// limit. What falls outside of min and max counts as min or max. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/located_yaml.h"

namespace rocktune::scenario {

class Sizes {
 public:
  struct Weighted {
    std::int64_t size = 0;
    double weight = 0;
    bool operator==(const Weighted&) const = default;
  };

  Sizes(std::int64_t size) : min_(size), max_(size) {}  // NOLINT: a number is a fixed size
  static Sizes uniform(std::int64_t min, std::int64_t max);
  static Sizes list(std::vector<Weighted> values);  // not empty, weights above 0
  // k >= 0, sigma > 0
  static Sizes pareto(double k, double sigma, double theta, std::int64_t min, std::int64_t max);

  // The size below which a share `u` in [0, 1) of all sizes lies.
  [[nodiscard]] std::int64_t at(double u) const;
  [[nodiscard]] std::int64_t smallest() const { return min_; }
  [[nodiscard]] std::int64_t largest() const { return max_; }
  // "1000", "uniform 100 to 2048", "list 100 (x3), 4096 (x1)", "pareto k=0.2615 ...": names it.
  [[nodiscard]] std::string text() const;
  bool operator==(const Sizes&) const = default;

 private:
  enum class Kind { kFixed, kUniform, kList, kPareto };
  Kind kind_ = Kind::kFixed;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  std::vector<Weighted> values_;
  double k_ = 0;
  double sigma_ = 0;
  double theta_ = 0;
};

// Leaves `out` alone when the key is absent or wrong; every size must lie in `range`.
void read_sizes(MapReader& map, const std::string& key, Problems& problems,
                Range<std::int64_t> range, Sizes& out);

}  // namespace rocktune::scenario
