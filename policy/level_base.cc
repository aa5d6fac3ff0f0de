#include "policy/level_base.h"

#include <algorithm>
#include <vector>

#include "model/compaction_debt.h"
#include "model/knobs.h"
#include "policy/memory.h"
#include "policy/situation.h"

namespace rocktune {
namespace {

constexpr double kBaseStep = 1.25;  // between two that are looked at

// Where level 0 is compacted to: the first level, or with dynamic levels one as deep as the data
// allows, into which nothing comes from above but level 0.
std::size_t level_below_level0(const LevelShape& shape, const std::vector<std::uint64_t>& bytes) {
  std::vector<double> sizes, targets(bytes.size());
  sizes.reserve(bytes.size());
  for (const std::uint64_t size : bytes) sizes.push_back(static_cast<double>(size));
  return level_targets(shape, sizes, targets);
}

}  // namespace

double level0_batch_bytes(const ColumnFamilyReading& family, std::int64_t trigger,
                          std::int64_t write_buffer) {
  if (family.leveled_compaction.value_or(0) == 0) return 0;
  return static_cast<double>(std::max<std::int64_t>(trigger, 0)) *
         static_cast<double>(std::max<std::int64_t>(write_buffer, 0));
}

double level0_batch_bytes(const ColumnFamilyReading& family) {
  return level0_batch_bytes(family,
                            static_cast<std::int64_t>(family.level0_compaction_trigger.value_or(0)),
                            static_cast<std::int64_t>(family.write_buffer_bytes.value_or(0)));
}

std::optional<double> debt_share(const ColumnFamilyReading& family, std::int64_t base,
                                 double filled) {
  if (family.levels.size() < 2 || !family.soft_pending_limit_bytes) return std::nullopt;
  const std::uint64_t soft = *family.soft_pending_limit_bytes;
  const std::uint64_t limit = soft > 0 ? soft : family.hard_pending_limit_bytes.value_or(0);
  if (limit == 0) return 0;
  LevelShape shape = level_shape_of(family);
  shape.level0_compaction_trigger = 1;
  std::vector<std::uint64_t> bytes;
  bytes.reserve(family.levels.size());
  for (const LevelReading& level : family.levels) bytes.push_back(level.bytes);
  const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(whole_bytes(filled), 0));
  if (least > 0) {
    shape.max_bytes_for_level_base = least;
    std::uint64_t& below = bytes.at(level_below_level0(shape, bytes));
    below = std::max(below, least);
    bytes[0] = std::max(bytes[0], least);
  }
  shape.max_bytes_for_level_base = static_cast<std::uint64_t>(std::max<std::int64_t>(base, 1));
  const std::uint64_t files = std::max<std::uint64_t>(family.levels[0].files, least > 0 ? 1 : 0);
  const std::uint64_t debt = compaction_debt_bytes(shape, files, bytes);
  return static_cast<double>(debt) / static_cast<double>(limit);
}

std::optional<std::int64_t> least_borne_base(const ColumnFamilyReading& family, std::int64_t wanted,
                                             std::int64_t now) {
  const auto end = static_cast<double>(now);
  for (auto to = static_cast<double>(std::max<std::int64_t>(wanted, 1)); to < end;
       to *= kBaseStep) {
    const std::optional<double> debt = debt_share(family, whole_bytes(to));
    if (!debt) return std::nullopt;
    if (*debt <= kBorneDebt) return whole_bytes(to);
  }
  return std::nullopt;
}

std::optional<std::int64_t> most_returnable_base(const ColumnFamilyReading& family,
                                                 std::int64_t wanted, std::int64_t now,
                                                 std::int64_t found) {
  const double least = kOutOfProportion * static_cast<double>(std::max<std::int64_t>(now, 1));
  for (auto to = static_cast<double>(wanted); to >= least; to /= kBaseStep) {
    const std::optional<double> debt = debt_share(family, found, to);
    if (!debt) return std::nullopt;
    if (*debt <= kBorneDebt) return whole_bytes(to);
  }
  return std::nullopt;
}

double held_times(const KnobReadings& knobs, const ColumnFamilyReading& family, double file_share,
                  double times) {
  const KnobReading* base = knobs.find(knob::kLevelBase, family.name);
  const double batch = file_share * level0_batch_bytes(family);
  if (base == nullptr || !(batch > 0)) return times;
  double held = kOutOfProportion * static_cast<double>(base->value);
  const bool free = may_turn(*base) && base->value > 0;
  if (free && held < times * batch) {
    const auto raised =
        most_returnable_base(family, whole_bytes(times * batch), base->value, base->found);
    held = std::max(held, kOutOfProportion * static_cast<double>(raised.value_or(0)));
  }
  return std::min(times, held / batch);
}

}  // namespace rocktune
