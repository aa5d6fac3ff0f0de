#include "model/level_targets.h"

#include <algorithm>
#include <limits>

namespace rocktune {
namespace {

constexpr double kNoTarget = std::numeric_limits<double>::max();

LevelTargets static_targets(const LevelShape& shape, std::size_t levels) {
  LevelTargets targets;
  targets.largest.fill(kNoTarget);
  auto bytes = static_cast<double>(shape.max_bytes_for_level_base);
  for (std::size_t level = 1; level < levels; ++level) {
    targets.largest.at(level) = bytes;
    bytes = std::min(bytes * shape.max_bytes_for_level_multiplier, kNoTarget);
  }
  return targets;
}

// The largest level's size decides; the level that L0 goes to is as deep as the data allows.
LevelTargets dynamic_targets(const LevelShape& shape, const LevelBytes& bytes, std::size_t levels) {
  LevelTargets targets;
  targets.base_level = levels - 1;
  targets.largest.fill(kNoTarget);
  const auto* const end = bytes.begin() + levels;
  const auto* const first =
      std::find_if(bytes.begin() + 1, end, [](double size) { return size > 0; });
  if (first == end) return targets;
  const auto base_max = static_cast<double>(shape.max_bytes_for_level_base);
  const double base_min = base_max / shape.max_bytes_for_level_multiplier;
  double size = *std::max_element(bytes.begin() + 1, end);
  targets.base_level = static_cast<std::size_t>(first - bytes.begin());
  for (std::size_t level = targets.base_level; level + 1 < levels; ++level) {
    size /= shape.max_bytes_for_level_multiplier;
  }
  if (size <= base_min) {
    size = base_min + 1;
  } else {
    while (targets.base_level > 1 && size > base_max) {
      --targets.base_level;
      size /= shape.max_bytes_for_level_multiplier;
    }
    size = std::min(size, base_max);
  }
  for (std::size_t level = targets.base_level; level < levels; ++level) {
    targets.largest.at(level) = std::max(size, base_max);
    size = std::min(size * shape.max_bytes_for_level_multiplier, kNoTarget);
  }
  return targets;
}

}  // namespace

LevelTargets level_targets(const LevelShape& shape, const LevelBytes& bytes, std::size_t levels) {
  return shape.dynamic_level_bytes ? dynamic_targets(shape, bytes, levels)
                                   : static_targets(shape, levels);
}

}  // namespace rocktune
