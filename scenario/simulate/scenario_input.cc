#include "scenario/simulate/scenario_input.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/level_targets.h"
#include "scenario/device/spec.h"
#include "scenario/engine.h"
#include "scenario/simulate/cache_curve.h"
#include "scenario/simulate/host_laws.h"
#include "sim/reading.h"

namespace rocktune::scenario {
namespace {

constexpr std::size_t kLevels = 7;
// Of a Bloom filter of ten bits: how often a table that has not the key is read for it.
constexpr double kFalsePositives = 0.01;
// The second size of the cache, for how its misses fall.
constexpr std::int64_t kLargerCache = 4;

// Of its write buffer, what a memtable has taken of its arena when it is switched: what is missing
// is of the last of eight blocks or more (MemTable::ShouldFlushNow).
constexpr double kArenaFill = 0.985;
// Of a record, beside its key and value: the skip list's pointers, 8 bytes for 4/3 levels in the
// mean (InlineSkipList), the sequence number, two lengths, and what rounding up to 8 bytes takes.
constexpr double kNodeBytes = 26;

double number(std::int64_t value) {
  return static_cast<double>(value);
}

Result<sim::FamilyOptions> family_options(const FamilyConfiguration& c) {
  if (c.compaction_style != CompactionStyle::kLevel) {
    return fail(ErrorCode::kUnsupported,
                "compaction that is not leveled cannot be simulated; see docs/evaluation.md");
  }
  sim::FamilyOptions family;
  family.write_buffer_bytes = number(c.write_buffer_bytes);
  family.limits.write_buffers = c.max_write_buffer_number;
  family.limits.l0_slowdown_files = c.level0_slowdown_trigger;
  family.limits.l0_stop_files = c.level0_stop_trigger;
  family.limits.soft_pending_bytes = static_cast<std::uint64_t>(c.soft_pending_limit_bytes);
  family.limits.hard_pending_bytes = static_cast<std::uint64_t>(c.hard_pending_limit_bytes);
  family.tree.levels = kLevels;
  family.tree.target_file_bytes = number(c.target_file_bytes);
  family.tree.shape.max_bytes_for_level_base =
      static_cast<std::uint64_t>(c.max_bytes_for_level_base);
  family.tree.shape.max_bytes_for_level_multiplier = c.max_bytes_for_level_multiplier;
  family.tree.shape.level0_compaction_trigger =
      static_cast<std::uint64_t>(c.level0_compaction_trigger);
  return family;
}

// What a load in key order leaves: its files never overlap and only move down, as far as the levels
// above are full.
std::vector<double> loaded_levels(const sim::FamilyOptions& family, double bytes) {
  std::vector<double> levels(kLevels, 0.0);
  levels.back() = bytes;
  std::vector<double> targets(kLevels, 0.0);
  const std::size_t base = level_targets(family.tree.shape, levels, targets);
  if (family.tree.shape.dynamic_level_bytes) return levels;
  for (std::size_t level = base; level + 1 < kLevels; ++level) {
    const double here = std::min(targets[level], levels.back());
    levels[level] += here;
    levels.back() -= here;
  }
  return levels;
}

bool reads(const Phase& phase) {
  return phase.mix[Operation::kRead] + phase.mix[Operation::kReadModifyWrite] +
             phase.mix[Operation::kScan] + phase.mix[Operation::kReadMissing] >
         0;
}

// Of the first phase that reads; the others' misses are in proportion to it.
void set_reads(const Workload& workload, const HostConfiguration& c, std::size_t levels_in_use,
               sim::SimulationInput& input) {
  sim::ReadLaws& laws = input.laws.reads;
  laws.cache_bytes = number(c.block_cache_bytes);
  laws.read_bytes = number(c.block_size_bytes);
  const bool filtered = c.bloom_bits_per_key > 0;
  laws.lookups = filtered ? 1 : number(static_cast<std::int64_t>(levels_in_use));
  laws.lookups_per_l0_file = filtered ? kFalsePositives : 1;
  std::size_t interval = 0;
  for (const Phase& phase : workload.phases) {
    double misses = 0;
    if (reads(phase)) {
      const double ratio =
          simulated_miss_ratio(workload, phase, c.block_size_bytes, c.block_cache_bytes);
      if (!(laws.miss_ratio > 0) && ratio > 0) {
        laws.miss_ratio = ratio;
        const double larger = simulated_miss_ratio(workload, phase, c.block_size_bytes,
                                                   kLargerCache * c.block_cache_bytes);
        const double fall = ratio / std::clamp(larger, ratio / 100, ratio);
        laws.cache_exponent = std::log(fall) / std::log(number(kLargerCache));
      }
      misses = laws.miss_ratio > 0 ? ratio / laws.miss_ratio : 0;
    }
    const std::size_t end = interval + intervals_of(phase);
    for (; interval < end; ++interval) input.demand.arrivals[interval].misses = misses;
  }
}

Result<sim::SimulationInput> database_input(const ScenarioDatabase& database,
                                            std::string_view rocksdb_version) {
  const HostConfiguration& c = database.configuration;
  const Workload& workload = database.workload;
  sim::SimulationInput input;
  input.options.max_background_jobs = c.max_background_jobs;
  input.options.max_subcompactions = c.max_subcompactions;
  input.options.rate_limit = number(c.rate_limit_bytes_per_second);
  input.options.limit_tunes_itself = c.auto_tuned_rate_limit;
  if (c.rate_limit_bytes_per_second == 0) sim::bring_limiter(input.options);
  input.options.cache_bytes = number(c.block_cache_bytes);
  input.options.write_piece_bytes = number(c.writable_file_max_buffer_bytes);
  input.options.families.clear();
  const double record = mean_record_bytes(workload.value_size);
  input.laws.bytes_per_write = record;
  input.laws.memtable_fill = kArenaFill * record / (record + kNodeBytes);
  if (c.compaction_readahead_bytes > 0) {
    input.laws.read_piece_bytes = number(c.compaction_readahead_bytes);
  }
  std::size_t in_use = 1;
  for (const Family& family : workload.families) {
    const auto options = family_options(c.family(family.name));
    if (!options) {
      return tl::unexpected(options.error().within("column family " + family.name));
    }
    input.options.families.push_back(*options);
    sim::FamilyState state;
    state.level_bytes = loaded_levels(*options, number(workload.records) * record * family.share);
    state.l0_files = static_cast<std::size_t>(workload.backlog.level0_files);
    state.level_bytes[0] = number(workload.backlog.level0_files) * options->write_buffer_bytes;
    const auto used = static_cast<std::size_t>(
        std::count_if(state.level_bytes.begin() + 1, state.level_bytes.end(),
                      [](double bytes) { return bytes > 0; }));
    in_use = std::max(in_use, used);
    input.state.push_back(std::move(state));
  }
  sim::follow_version(rocksdb_version, input.options);
  input.demand = demand_of(workload);
  set_reads(workload, c, in_use, input);
  return input;
}

// A tuner has P99s of its own to go by where none is stated; nothing is counted by those.
sim::SloLimits stated_limits(const Objective& objective) {
  sim::SloLimits limits;
  const std::int64_t read = tightest_p99_us(objective, true);
  const std::int64_t write = tightest_p99_us(objective, false);
  if (read > 0) limits.read_p99_seconds = number(read) / 1e6;
  if (write > 0) limits.write_p99_seconds = number(write) / 1e6;
  return limits;
}

}  // namespace

std::vector<std::string> not_simulated(const Scenario& scenario, const ScenarioDatabase& database) {
  const HostConfiguration& c = database.configuration;
  std::set<std::string> names;
  const auto add = [&](const FamilyConfiguration& family) {
    for (const auto& [option, value] : family.rocksdb_options) names.insert(option);
    if (family.target_file_multiplier != 1) {
      names.insert("target_file_size_multiplier: " + std::to_string(family.target_file_multiplier));
    }
    if (family.memtable != Memtable::kSkipList) {
      names.insert("memtable: " + memtable_name(family.memtable));
    }
  };
  add(c);
  for (const auto& [name, family] : c.families) add(family);
  if (database.workload.load_order != LoadOrder::kKey) {
    names.insert("load_order: " + load_order_name(database.workload.load_order));
  }
  if (database.workload.wal != Wal::kOn) names.insert("wal: " + wal_name(database.workload.wal));
  const auto device = parse_device_spec(scenario.device, scenario.scale);
  if (device && device->kind != DeviceKind::kReal) {
    for (const std::string& part : not_in_laws(device->profile)) names.insert("device: " + part);
  }
  return {names.begin(), names.end()};
}

Result<std::vector<sim::SimulationInput>> scenario_inputs(const Scenario& scenario,
                                                          const sim::HostLaws& machine,
                                                          std::string_view rocksdb_version) {
  const auto device = parse_device_spec(scenario.device, scenario.scale);
  if (!device) return tl::unexpected(device.error());
  std::vector<sim::SimulationInput> inputs;
  for (const ScenarioDatabase& database : scenario.databases) {
    auto input = database_input(database, rocksdb_version);
    if (!input) return tl::unexpected(input.error().within("database " + database.name));
    input->host = machine;
    input->limits = stated_limits(scenario.objective);
    input->device_name = scenario.device;  // they are on one, and have names for it
    if (device->kind != DeviceKind::kReal) {
      input->host.device = device_laws(device->profile);
      input->host.device_spread = 0;
      input->host.device_changes = device_changes(device->profile);
    }
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

}  // namespace rocktune::scenario
