#include "sim/reading.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "sim/knobs.h"

namespace rocktune::sim {
namespace {

struct Version {
  int major = 0, minor = 0;
  [[nodiscard]] bool is_at_least(int other_major, int other_minor) const {
    return major != other_major ? major > other_major : minor >= other_minor;
  }
};

// What cannot be read as a number is 0: an old one.
Version parse(const std::string& text) {
  Version version;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, version.major);
  if (error == std::errc() && dot != end && *dot == '.') {
    std::from_chars(dot + 1, end, version.minor);
  }
  return version;
}

// Far beyond where writes stop; what is read from a file may be anything.
constexpr std::uint64_t kMostL0Files = 100'000, kMostMemtables = 10'000;
// RocksDB makes smaller write buffers as large as this (SanitizeCfOptions). Files smaller than that
// are no use to anybody, and endless work to simulate.
constexpr double kLeastBufferBytes = 64 << 10;
constexpr std::int64_t kMostL0Weight = 16;  // as the agent's limiter
constexpr double kLeastPieceBytes = 4 << 10;

double number(const Counter& counter) {
  return static_cast<double>(counter.value_or(0));
}

// Why this family cannot be simulated; null: it can.
const char* obstacle(const ColumnFamilyReading& family) {
  if (family.leveled_compaction.value_or(1) == 0) return "its compaction is not leveled";
  if (family.levels.size() < 2) return "its levels were not read";
  if (family.levels.size() > kMostTreeLevels) return "it has more levels than are simulated";
  if (family.levels.front().files > kMostL0Files ||
      family.immutable_memtables.value_or(0) > kMostMemtables) {
    return "it has more files of level 0 or memtables than are simulated";
  }
  const bool known = family.write_buffer_bytes.value_or(0) > 0 && family.max_write_buffer_number &&
                     family.level0_compaction_trigger.value_or(0) > 0 &&
                     family.level0_slowdown_trigger && family.level0_stop_trigger &&
                     family.max_bytes_for_level_base_bytes.value_or(0) > 0 &&
                     family.target_file_bytes.value_or(0) > 0;
  return known ? nullptr : "its options were not read";
}

FamilyOptions family_options(const ColumnFamilyReading& family) {
  FamilyOptions options;
  options.write_buffer_bytes = number(family.write_buffer_bytes);
  options.limits.write_buffers = static_cast<std::int64_t>(*family.max_write_buffer_number);
  options.limits.l0_slowdown_files = static_cast<std::int64_t>(*family.level0_slowdown_trigger);
  options.limits.l0_stop_files = static_cast<std::int64_t>(*family.level0_stop_trigger);
  const StallLimits usual;
  options.limits.soft_pending_bytes =
      family.soft_pending_limit_bytes.value_or(usual.soft_pending_bytes);
  options.limits.hard_pending_bytes =
      family.hard_pending_limit_bytes.value_or(usual.hard_pending_bytes);
  options.tree.levels = family.levels.size();
  options.tree.shape.max_bytes_for_level_base = *family.max_bytes_for_level_base_bytes;
  options.tree.shape.max_bytes_for_level_multiplier =
      std::max(1.0, static_cast<double>(family.max_bytes_for_level_multiplier.value_or(10)));
  options.tree.shape.level0_compaction_trigger = *family.level0_compaction_trigger;
  options.tree.shape.dynamic_level_bytes = family.dynamic_level_bytes.value_or(0) != 0;
  options.tree.target_file_bytes = number(family.target_file_bytes);
  return options;
}

// Whatever a sample says, the plant gets options that RocksDB could have.
void sanitize(PlantOptions& options) {
  options.max_background_jobs = std::max<std::int64_t>(options.max_background_jobs, 1);
  options.write_piece_bytes = std::max(options.write_piece_bytes, kLeastPieceBytes);
  options.cache_bytes = std::max(options.cache_bytes, 0.0);
  options.rate_limit = std::max(options.rate_limit, 0.0);
  options.l0_weight = std::clamp<std::int64_t>(options.l0_weight, 0, kMostL0Weight);
  for (FamilyOptions& family : options.families) {
    family.write_buffer_bytes = std::max(family.write_buffer_bytes, kLeastBufferBytes);
    family.tree.target_file_bytes = std::max(family.tree.target_file_bytes, kLeastBufferBytes);
    auto& shape = family.tree.shape;
    shape.max_bytes_for_level_base = std::clamp<std::uint64_t>(
        shape.max_bytes_for_level_base, 1 << 20, std::numeric_limits<std::int64_t>::max());
    shape.level0_compaction_trigger =
        std::clamp<std::uint64_t>(shape.level0_compaction_trigger, 1, kMostL0Files);
    for (std::uint64_t* limit :
         {&family.limits.soft_pending_bytes, &family.limits.hard_pending_bytes}) {
      // Negative as a signed number: no limit.
      if (*limit > std::numeric_limits<std::int64_t>::max()) *limit = 0;
    }
  }
}

// As the plant calls that column family; empty: the whole database; absent: there is none.
std::optional<std::string> plant_family(const DatabaseReading& database, const std::string& name) {
  if (name.empty()) return name;
  for (std::size_t i = 0; i < database.column_families.size(); ++i) {
    if (database.column_families[i].name == name) return family_name(i);
  }
  return std::nullopt;
}

}  // namespace

Result<PlantOptions> plant_options(const Sample& sample, std::string_view rocksdb_version,
                                   KnobsAt knobs) {
  if (!sample.database || sample.database->column_families.empty()) {
    return fail(ErrorCode::kUnsupported, "no column family was read");
  }
  PlantOptions options;
  options.families.clear();
  for (const ColumnFamilyReading& family : sample.database->column_families) {
    if (const char* why = obstacle(family)) {
      return fail(ErrorCode::kUnsupported,
                  "column family " + family.name + " cannot be simulated: " + why);
    }
    options.families.push_back(family_options(family));
  }
  follow_version(rocksdb_version, options);
  for (const KnobReading& reading : sample.knobs) {
    const bool ours = reading.owner == KnobOwner::kRocktune && knobs == KnobsAt::kFound;
    // Those of column families stand in the readings above already.
    if (!ours && !reading.column_family.empty()) continue;
    const auto family = plant_family(*sample.database, reading.column_family);
    if (family) set_knob(options, reading.name, *family, ours ? reading.found : reading.value);
  }
  sanitize(options);
  return options;
}

void follow_version(std::string_view rocksdb_version, PlantOptions& options) {
  const Version version = parse(std::string(rocksdb_version));
  options.debt_for_size_speeds_up = version.is_at_least(8, 10);
  for (FamilyOptions& family : options.families) {
    family.tree.small_l0_stays = version.is_at_least(9, 0);
  }
}

std::vector<FamilyState> family_states(const Sample& sample, const Laws& laws) {
  std::vector<FamilyState> states;
  for (const ColumnFamilyReading& family : sample.database->column_families) {
    FamilyState state;
    for (const LevelReading& level : family.levels) {
      state.level_bytes.push_back(static_cast<double>(level.bytes));
    }
    state.l0_files = family.levels.front().files;
    state.immutable_memtables = family.immutable_memtables.value_or(0);
    // An arena holds more than what users wrote; a full one is what is switched.
    const double full = number(family.write_buffer_bytes);
    const double share = std::min(1.0, number(family.active_memtable_bytes) / full);
    state.active_bytes = share * full * laws.memtable_fill;
    states.push_back(std::move(state));
  }
  return states;
}

std::uint64_t delayed_rate(const Sample& sample) {
  return sample.database ? sample.database->delayed_write_rate.value_or(0) : 0;
}

}  // namespace rocktune::sim
