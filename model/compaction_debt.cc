#include "model/compaction_debt.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace rocktune {
namespace {

using LevelBytes = std::array<double, kMostLevels>;

}  // namespace

std::uint64_t compaction_debt_bytes(const LevelShape& shape, std::uint64_t level0_files,
                                    const std::vector<std::uint64_t>& level_bytes) {
  if (level_bytes.size() < 2) return 0;
  if (!(shape.max_bytes_for_level_multiplier >= 1)) return 0;  // RocksDB would refuse it
  const std::size_t levels = std::min(level_bytes.size(), kMostLevels);
  LevelBytes bytes{};
  std::transform(level_bytes.begin(), level_bytes.begin() + static_cast<std::ptrdiff_t>(levels),
                 bytes.begin(), [](std::uint64_t size) { return static_cast<double>(size); });
  LevelBytes targets{};
  const std::size_t base =
      level_targets(shape, std::span(bytes).first(levels), std::span(targets).first(levels));
  double debt = 0;
  double arriving = 0;  // from the level above
  const bool triggered = level0_files >= shape.level0_compaction_trigger ||
                         level_bytes[0] >= shape.max_bytes_for_level_base;
  if (triggered) debt = arriving = static_cast<double>(level_bytes[0]);
  for (std::size_t level = base; level + 1 < levels; ++level) {
    auto size = static_cast<double>(level_bytes[level]);
    if (level == base && triggered) debt += size;
    size += arriving;
    arriving = 0;
    if (size <= targets.at(level)) continue;
    arriving = size - targets.at(level);
    const auto next = static_cast<double>(level_bytes[level + 1]);
    // What arrives is merged with its share of the next level.
    if (next > 0) debt += arriving * (next / size + 1);
  }
  return debt < 9e18 ? static_cast<std::uint64_t>(debt) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace rocktune
