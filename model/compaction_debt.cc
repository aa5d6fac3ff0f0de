#include "model/compaction_debt.h"

#include <algorithm>
#include <limits>

namespace rocktune {
namespace {

constexpr double kNoTarget = std::numeric_limits<double>::max();

struct Targets {
  std::size_t base_level = 1;   // into which L0 is compacted
  std::vector<double> largest;  // index = level
};

Targets static_targets(const LevelShape& shape, std::size_t levels) {
  Targets targets{1, std::vector<double>(levels, kNoTarget)};
  auto bytes = static_cast<double>(shape.max_bytes_for_level_base);
  for (std::size_t level = 1; level < levels; ++level) {
    targets.largest[level] = bytes;
    bytes = std::min(bytes * shape.max_bytes_for_level_multiplier, kNoTarget);
  }
  return targets;
}

// The last level's size decides; the level that L0 goes to is as deep as the data allows.
Targets dynamic_targets(const LevelShape& shape, const std::vector<std::uint64_t>& bytes) {
  const std::size_t levels = bytes.size();
  Targets targets{levels - 1, std::vector<double>(levels, kNoTarget)};
  const auto first =
      std::find_if(bytes.begin() + 1, bytes.end(), [](auto size) { return size > 0; });
  if (first == bytes.end()) return targets;
  const auto base_max = static_cast<double>(shape.max_bytes_for_level_base);
  const double base_min = base_max / shape.max_bytes_for_level_multiplier;
  auto size = static_cast<double>(*std::max_element(bytes.begin() + 1, bytes.end()));
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
    targets.largest[level] = std::max(size, base_max);
    size = std::min(size * shape.max_bytes_for_level_multiplier, kNoTarget);
  }
  return targets;
}

}  // namespace

std::uint64_t compaction_debt_bytes(const LevelShape& shape, std::uint64_t level0_files,
                                    const std::vector<std::uint64_t>& level_bytes) {
  if (level_bytes.size() < 2) return 0;
  if (!(shape.max_bytes_for_level_multiplier >= 1)) return 0;  // RocksDB would refuse it
  const Targets targets = shape.dynamic_level_bytes ? dynamic_targets(shape, level_bytes)
                                                    : static_targets(shape, level_bytes.size());
  double debt = 0;
  double arriving = 0;  // from the level above
  const bool triggered = level0_files >= shape.level0_compaction_trigger ||
                         level_bytes[0] >= shape.max_bytes_for_level_base;
  if (triggered) debt = arriving = static_cast<double>(level_bytes[0]);
  for (std::size_t level = targets.base_level; level + 1 < level_bytes.size(); ++level) {
    auto size = static_cast<double>(level_bytes[level]);
    if (level == targets.base_level && triggered) debt += size;
    size += arriving;
    arriving = 0;
    if (size <= targets.largest[level]) continue;
    arriving = size - targets.largest[level];
    const auto next = static_cast<double>(level_bytes[level + 1]);
    // What arrives is merged with its share of the next level.
    if (next > 0) debt += arriving * (next / size + 1);
  }
  return debt < 9e18 ? static_cast<std::uint64_t>(debt) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace rocktune
