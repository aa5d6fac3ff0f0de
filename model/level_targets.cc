#include "model/level_targets.h"

#include <algorithm>
#include <limits>

namespace rocktune {
namespace {

constexpr double kNoTarget = std::numeric_limits<double>::max();

std::size_t static_targets(const LevelShape& shape, std::span<double> targets) {
  auto bytes = static_cast<double>(shape.max_bytes_for_level_base);
  for (double& target : targets.subspan(1)) {
    target = bytes;
    bytes = std::min(bytes * shape.max_bytes_for_level_multiplier, kNoTarget);
  }
  return 1;
}

// The largest level's size decides; the level that L0 goes to is as deep as the data allows.
std::size_t dynamic_targets(const LevelShape& shape, std::span<const double> bytes,
                            std::span<double> targets) {
  const auto first =
      std::find_if(bytes.begin() + 1, bytes.end(), [](double size) { return size > 0; });
  if (first == bytes.end()) return bytes.size() - 1;
  const auto base_max = static_cast<double>(shape.max_bytes_for_level_base);
  const double base_min = base_max / shape.max_bytes_for_level_multiplier;
  double size = *std::max_element(bytes.begin() + 1, bytes.end());
  auto base = static_cast<std::size_t>(first - bytes.begin());
  for (std::size_t level = base; level + 1 < bytes.size(); ++level) {
    size /= shape.max_bytes_for_level_multiplier;
  }
  if (size <= base_min) {
    size = base_min + 1;
  } else {
    while (base > 1 && size > base_max) {
      --base;
      size /= shape.max_bytes_for_level_multiplier;
    }
    size = std::min(size, base_max);
  }
  for (double& target : targets.subspan(base)) {
    target = std::max(size, base_max);
    size = std::min(size * shape.max_bytes_for_level_multiplier, kNoTarget);
  }
  return base;
}

}  // namespace

LevelShape level_shape_of(const ColumnFamilyReading& reading) {
  LevelShape shape;
  shape.max_bytes_for_level_base =
      reading.max_bytes_for_level_base_bytes.value_or(shape.max_bytes_for_level_base);
  shape.max_bytes_for_level_multiplier = static_cast<double>(
      std::max<std::uint64_t>(reading.max_bytes_for_level_multiplier.value_or(10), 1));
  shape.level0_compaction_trigger =
      reading.level0_compaction_trigger.value_or(shape.level0_compaction_trigger);
  shape.dynamic_level_bytes = reading.dynamic_level_bytes.value_or(0) == 1;
  return shape;
}

std::size_t level_targets(const LevelShape& shape, std::span<const double> bytes,
                          std::span<double> targets) {
  std::fill(targets.begin(), targets.end(), kNoTarget);
  return shape.dynamic_level_bytes ? dynamic_targets(shape, bytes, targets)
                                   : static_targets(shape, targets);
}

}  // namespace rocktune
