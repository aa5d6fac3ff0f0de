#include "advice/tree_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rocktune::advice {
namespace {

constexpr std::size_t kLeastFlushes = 200;  // even where the data is small: past the beginning
constexpr double kRounds = 3;               // how many times the data is written

class UniversalTree {
 public:
  UniversalTree(const UniversalShape& shape, bool overwrites)
      : shape_(shape), overwrites_(overwrites) {
    runs_.push_back(overwrites ? std::numeric_limits<double>::infinity() : shape.data_bytes);
  }

  void flush(double bytes) {
    runs_.insert(runs_.begin(), bytes);  // the newest first
    written_ += size(bytes);
    flushed_ += size(bytes);
    while (runs_.size() >= std::max<std::size_t>(shape_.trigger, 2)) {
      if (!reduce_space() && !merge_alike(100 + shape_.size_ratio_percent) && !merge_newest()) {
        break;
      }
    }
    double all = 0;
    for (const double run : runs_) all += size(run);
    space_ = std::max(space_, all / std::max(size(runs_.back()), 1.0));
    runs_seen_ += static_cast<double>(runs_.size());
    flushes_ += 1;
  }

  [[nodiscard]] UniversalCost cost() const {
    return {written_ / flushed_, runs_seen_ / flushes_, space_};
  }

 private:
  // Of a run into which this much was written: of evenly drawn keys some were drawn before.
  [[nodiscard]] double size(double written) const {
    if (!overwrites_) return written;
    return shape_.data_bytes * -std::expm1(-written / shape_.data_bytes);
  }

  void merge(std::size_t first, std::size_t count) {
    double sum = 0;
    for (std::size_t i = first; i < first + count; ++i) sum += runs_[i];
    const auto at = runs_.begin() + static_cast<std::ptrdiff_t>(first);
    runs_.erase(at + 1, at + static_cast<std::ptrdiff_t>(count));
    runs_[first] = sum;
    written_ += size(sum);
  }

  bool reduce_space() {
    double newer = 0;
    for (std::size_t i = 0; i + 1 < runs_.size(); ++i) newer += size(runs_[i]);
    if (newer * 100 < shape_.max_size_amplification_percent * size(runs_.back())) return false;
    merge(0, runs_.size());
    return true;
  }

  bool merge_alike(double percent) {
    for (std::size_t first = 0; first + 1 < runs_.size(); ++first) {
      double sum = size(runs_[first]);
      std::size_t count = 1;
      while (first + count < runs_.size() && sum * percent / 100 >= size(runs_[first + count])) {
        sum += size(runs_[first + count++]);
      }
      if (count < 2) continue;
      merge(first, count);
      return true;
    }
    return false;
  }

  bool merge_newest() {
    const std::size_t count = runs_.size() - shape_.trigger + 1;
    if (runs_.size() <= shape_.trigger || count < 2) return false;
    merge(0, count);
    return true;
  }

  UniversalShape shape_;
  bool overwrites_;
  std::vector<double> runs_;  // bytes written into each; the newest first
  double written_ = 0, flushed_ = 0, runs_seen_ = 0, flushes_ = 0, space_ = 1;
};

}  // namespace

UniversalCost universal_cost(const UniversalShape& shape, bool overwrites) {
  const double wanted = std::ceil(kRounds * shape.data_bytes / shape.flush_bytes);
  const double flushes =
      std::clamp(wanted, static_cast<double>(kLeastFlushes), static_cast<double>(kMostFlushes));
  const double flush_bytes = std::max(shape.flush_bytes, kRounds * shape.data_bytes / flushes);
  UniversalTree tree(shape, overwrites);
  for (double i = 0; i < flushes; i += 1) tree.flush(flush_bytes);
  return tree.cost();
}

LeveledCost leveled_cost(const LeveledShape& shape) {
  const double data = std::max(shape.data_bytes, shape.flush_bytes);
  // A base level cannot hold more than there is.
  const double base = std::min(shape.base_bytes, data);
  const double l0 = shape.flush_bytes * shape.trigger;
  LeveledCost out;
  const double deeper = std::ceil(std::log(data / base) / std::log(shape.multiplier) - 1e-9);
  out.levels = 1 + std::max(0.0, deeper);
  const double out_of_l0 = (l0 + base) / l0;
  out.least_writes_per_flushed_byte = 1 + out_of_l0 + (out.levels - 1) * shape.multiplier / 2;
  out.most_writes_per_flushed_byte = 1 + out_of_l0 + (out.levels - 1) * (shape.multiplier + 1);
  return out;
}

}  // namespace rocktune::advice
