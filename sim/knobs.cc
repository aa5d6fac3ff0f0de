#include "sim/knobs.h"

#include <array>
#include <string>

#include "model/knobs.h"

namespace rocktune::sim {
namespace {

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(value);
}

struct DatabaseKnob {
  std::string_view name;
  std::int64_t (*get)(const PlantOptions&);
  void (*set)(PlantOptions&, std::int64_t);
};

struct FamilyKnob {
  std::string_view name;
  std::int64_t (*get)(const FamilyOptions&);
  void (*set)(FamilyOptions&, std::int64_t);
};

std::int64_t rate_limit(const PlantOptions& options) {
  return options.rate_limit > 0 ? whole(options.rate_limit) : kUnlimitedBytesPerSecond;
}

void set_rate_limit(PlantOptions& options, std::int64_t value) {
  options.rate_limit = value < kUnlimitedBytesPerSecond ? static_cast<double>(value) : 0;
}

constexpr std::array kDatabaseKnobs = {
    DatabaseKnob{knob::kRateLimit, rate_limit, set_rate_limit},
    DatabaseKnob{knob::kLimitFlushes,
                 [](const PlantOptions& o) -> std::int64_t { return o.limit_flushes ? 1 : 0; },
                 [](PlantOptions& o, std::int64_t value) { o.limit_flushes = value != 0; }},
    DatabaseKnob{knob::kL0Weight, [](const PlantOptions& o) { return o.l0_weight; },
                 [](PlantOptions& o, std::int64_t value) { o.l0_weight = value; }},
    DatabaseKnob{knob::kBackgroundJobs, [](const PlantOptions& o) { return o.max_background_jobs; },
                 [](PlantOptions& o, std::int64_t value) { o.max_background_jobs = value; }},
    DatabaseKnob{knob::kSubcompactions, [](const PlantOptions& o) { return o.max_subcompactions; },
                 [](PlantOptions& o, std::int64_t value) { o.max_subcompactions = value; }},
    DatabaseKnob{
        knob::kCacheCapacity, [](const PlantOptions& o) { return whole(o.cache_bytes); },
        [](PlantOptions& o, std::int64_t value) { o.cache_bytes = static_cast<double>(value); }},
    DatabaseKnob{
        knob::kDelayedWriteRate,
        [](const PlantOptions& o) { return static_cast<std::int64_t>(o.delayed_write_rate); },
        [](PlantOptions& o, std::int64_t value) {
          if (value > 0) o.delayed_write_rate = static_cast<std::uint64_t>(value);
        }},
    DatabaseKnob{knob::kWriteSize, [](const PlantOptions& o) { return whole(o.write_piece_bytes); },
                 [](PlantOptions& o, std::int64_t value) {
                   o.write_piece_bytes = static_cast<double>(value);
                 }},
};

constexpr std::array kFamilyKnobs = {
    FamilyKnob{knob::kWriteBufferSize,
               [](const FamilyOptions& o) { return whole(o.write_buffer_bytes); },
               [](FamilyOptions& o, std::int64_t value) {
                 o.write_buffer_bytes = static_cast<double>(value);
               }},
    FamilyKnob{knob::kWriteBuffers, [](const FamilyOptions& o) { return o.limits.write_buffers; },
               [](FamilyOptions& o, std::int64_t value) { o.limits.write_buffers = value; }},
    FamilyKnob{knob::kL0Trigger,
               [](const FamilyOptions& o) {
                 return static_cast<std::int64_t>(o.tree.shape.level0_compaction_trigger);
               },
               [](FamilyOptions& o, std::int64_t value) {
                 o.tree.shape.level0_compaction_trigger = static_cast<std::uint64_t>(value);
               }},
    FamilyKnob{knob::kL0Slowdown, [](const FamilyOptions& o) { return o.limits.l0_slowdown_files; },
               [](FamilyOptions& o, std::int64_t value) { o.limits.l0_slowdown_files = value; }},
    FamilyKnob{knob::kL0Stop, [](const FamilyOptions& o) { return o.limits.l0_stop_files; },
               [](FamilyOptions& o, std::int64_t value) { o.limits.l0_stop_files = value; }},
    FamilyKnob{knob::kSoftPending,
               [](const FamilyOptions& o) {
                 return static_cast<std::int64_t>(o.limits.soft_pending_bytes);
               },
               [](FamilyOptions& o, std::int64_t value) {
                 o.limits.soft_pending_bytes = static_cast<std::uint64_t>(value);
               }},
    FamilyKnob{knob::kHardPending,
               [](const FamilyOptions& o) {
                 return static_cast<std::int64_t>(o.limits.hard_pending_bytes);
               },
               [](FamilyOptions& o, std::int64_t value) {
                 o.limits.hard_pending_bytes = static_cast<std::uint64_t>(value);
               }},
    FamilyKnob{knob::kTargetFileSize,
               [](const FamilyOptions& o) { return whole(o.tree.target_file_bytes); },
               [](FamilyOptions& o, std::int64_t value) {
                 o.tree.target_file_bytes = static_cast<double>(value);
               }},
    FamilyKnob{knob::kLevelBase,
               [](const FamilyOptions& o) {
                 return static_cast<std::int64_t>(o.tree.shape.max_bytes_for_level_base);
               },
               [](FamilyOptions& o, std::int64_t value) {
                 o.tree.shape.max_bytes_for_level_base = static_cast<std::uint64_t>(value);
               }},
};

// Those that only the agent's own limiter has.
bool is_missing(std::string_view name, const PlantOptions& found) {
  return found.l0_weight == 0 && (name == knob::kLimitFlushes || name == knob::kL0Weight);
}

KnobReading reading(std::string_view name, std::string column_family, std::int64_t value,
                    std::int64_t found) {
  const KnobSpec* spec = find_knob(name);
  KnobReading reading;
  reading.name = name;
  reading.column_family = std::move(column_family);
  reading.value = value;
  reading.found = found;
  reading.owner = value == found ? KnobOwner::kFound : KnobOwner::kRocktune;
  reading.changeable = true;
  reading.min = spec->min;
  reading.max = spec->max;
  return reading;
}

}  // namespace

std::string family_name(std::size_t index) {
  return index == 0 ? "default" : "family" + std::to_string(index);
}

std::vector<KnobReading> read_knobs(const PlantOptions& now, const PlantOptions& found) {
  std::vector<KnobReading> readings;
  readings.reserve(kDatabaseKnobs.size() + now.families.size() * kFamilyKnobs.size());
  for (const DatabaseKnob& one : kDatabaseKnobs) {
    if (is_missing(one.name, found)) continue;
    readings.push_back(reading(one.name, "", one.get(now), one.get(found)));
  }
  for (std::size_t i = 0; i < now.families.size(); ++i) {
    for (const FamilyKnob& one : kFamilyKnobs) {
      readings.push_back(
          reading(one.name, family_name(i), one.get(now.families[i]), one.get(found.families[i])));
    }
  }
  return readings;
}

bool set_knob(PlantOptions& options, std::string_view knob, std::string_view column_family,
              std::int64_t value) {
  if (column_family.empty()) {
    for (const DatabaseKnob& one : kDatabaseKnobs) {
      if (one.name != knob) continue;
      one.set(options, value);
      return true;
    }
    return false;
  }
  for (std::size_t i = 0; i < options.families.size(); ++i) {
    if (family_name(i) != column_family) continue;
    for (const FamilyKnob& one : kFamilyKnobs) {
      if (one.name != knob) continue;
      one.set(options.families[i], value);
      return true;
    }
  }
  return false;
}

}  // namespace rocktune::sim
