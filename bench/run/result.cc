#include "bench/run/result.h"

#include <rocksdb/version.h>
#include <unistd.h>

#include <utility>

namespace rocktune::bench {

std::string rocksdb_version() {
  return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + "." +
         std::to_string(ROCKSDB_PATCH);
}

namespace {

using nlohmann::json;

constexpr const char* kResultSchema = "rocktune-bench/2";

json optional_number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

// `all`: with those that were never begun.
json latency_json(std::uint64_t done, const Histogram& all, double seconds) {
  return {{"count", done},
          {"ops_per_second", seconds > 0 ? static_cast<double>(done) / seconds : 0.0},
          {"mean_us", all.mean_us()},
          {"p50_us", all.percentile_us(0.50)},
          {"p95_us", all.percentile_us(0.95)},
          {"p99_us", all.percentile_us(0.99)},
          {"p999_us", all.percentile_us(0.999)},
          {"max_us", all.max_us()}};
}

json gauges_json(const Gauges& gauges) {
  return {{"pending_compaction_bytes", gauges.pending_compaction_bytes},
          {"l0_files", gauges.l0_files},
          {"immutable_memtables", gauges.immutable_memtables},
          {"delayed_write_rate_bytes_per_second", gauges.delayed_write_rate},
          {"write_stopped", gauges.write_stopped},
          {"cache_usage_bytes", gauges.cache_usage_bytes},
          {"knobs",
           {{"rate_limiter_bytes_per_second", gauges.rate_limit_bytes_per_second},
            {"max_background_jobs", gauges.max_background_jobs},
            {"block_cache_capacity_bytes", gauges.cache_capacity_bytes}}}};
}

json family_options_json(const scenario::FamilyConfiguration& c) {
  return {{"compaction_style", scenario::compaction_style_name(c.compaction_style)},
          {"memtable", scenario::memtable_name(c.memtable)},
          {"write_buffer_size_bytes", c.write_buffer_bytes},
          {"max_write_buffer_number", c.max_write_buffer_number},
          {"target_file_size_base_bytes", c.target_file_bytes},
          {"target_file_size_multiplier", c.target_file_multiplier},
          {"max_bytes_for_level_base_bytes", c.max_bytes_for_level_base},
          {"max_bytes_for_level_multiplier", c.max_bytes_for_level_multiplier},
          {"level0_triggers",
           {c.level0_compaction_trigger, c.level0_slowdown_trigger, c.level0_stop_trigger}},
          {"pending_limits_bytes", {c.soft_pending_limit_bytes, c.hard_pending_limit_bytes}},
          {"rocksdb_options", c.rocksdb_options}};
}

json configuration_json(const scenario::HostConfiguration& c) {
  json out = {{"name", c.name},
              {"block_cache_bytes", c.block_cache_bytes},
              {"block_size_bytes", c.block_size_bytes},
              {"bloom_bits_per_key", c.bloom_bits_per_key},
              {"partitioned_filters", c.partitioned_filters},
              {"cache_index_and_filter_blocks", c.cache_index_and_filter_blocks},
              {"max_background_jobs", c.max_background_jobs},
              {"max_subcompactions", c.max_subcompactions},
              {"rate_limit_bytes_per_second", c.rate_limit_bytes_per_second},
              {"auto_tuned_rate_limit", c.auto_tuned_rate_limit},
              {"compaction_readahead_bytes", c.compaction_readahead_bytes},
              {"writable_file_max_buffer_bytes", c.writable_file_max_buffer_bytes},
              {"use_direct_io_for_flush_and_compaction", c.direct_io_for_flush_and_compaction},
              {"use_direct_reads", c.direct_reads}};
  out.update(family_options_json(c));
  if (!c.families.empty()) {
    for (const auto& [name, own] : c.families) out["families"][name] = family_options_json(own);
  }
  return out;
}

json profile_json(const std::optional<scenario::DeviceProfile>& profile) {
  if (!profile) return nullptr;
  return {{"name", profile->name},
          {"description", profile->description},
          {"read_bytes_per_second", profile->read_bytes_per_second},
          {"write_bytes_per_second", profile->write_bytes_per_second},
          {"read_iops", profile->read_iops},
          {"write_iops", profile->write_iops},
          {"read_latency_us", profile->read_latency_us},
          {"write_latency_us", profile->write_latency_us},
          {"sync_latency_us", profile->sync_latency_us}};
}

json device_json(const RunResult& result) {
  const DeviceResult& device = result.device;
  return {{"label", device.label},
          {"name", result.scenario.device},
          {"profile", profile_json(device.profile)},
          {"per_second", device.per_second},
          {"total", device.total}};
}

json workload_json(const scenario::Workload& workload) {
  json families = json::array();
  for (const scenario::Family& family : workload.families) {
    families.push_back({{"name", family.name}, {"share", family.share}});
  }
  return {{"name", workload.name},
          {"description", workload.description},
          {"records", workload.records},
          {"value_size", workload.value_size.text()},
          {"threads", workload.threads},
          {"seed", workload.seed},
          {"wal", scenario::wal_name(workload.wal)},
          {"load_order", scenario::load_order_name(workload.load_order)},
          {"backlog", {{"level0_files", workload.backlog.level0_files}}},
          {"families", std::move(families)}};
}

json proportions_json(const scenario::Mix& mix) {
  json out = json::object();
  for (std::size_t i = 0; i < scenario::kOperations; ++i) {
    if (mix.shares[i] > 0) out[std::string(scenario::kOperationNames[i])] = mix.shares[i];
  }
  return out;
}

json phase_json(const PhaseResult& result) {
  const scenario::Phase& phase = result.phase;
  const scenario::Rate rate(phase.rate, phase.seconds);
  return {{"name", phase.name},
          {"planned_seconds", phase.seconds},
          {"proportions", proportions_json(phase.mix)},
          {"target_ops_per_second",
           rate.paced() ? json(rate.due_by(phase.seconds) / phase.seconds) : json(nullptr)},
          {"rate", scenario::rate_text(phase.rate)},
          {"distribution", scenario::keys_text(phase.keys)},
          {"value_size", phase.value_size.text()},
          {"total", interval_json(result.total)},
          {"per_second", result.per_second}};
}

json database_json(const scenario::ScenarioDatabase& database, const DatabaseResult& result) {
  json phases = json::array();
  for (const PhaseResult& phase : result.phases) phases.push_back(phase_json(phase));
  return {{"name", database.name},
          {"path", result.path},
          {"agent", result.agent.empty() ? json(nullptr) : json(result.agent)},
          {"workload", workload_json(database.workload)},
          {"configuration", configuration_json(database.configuration)},
          {"phases", std::move(phases)},
          {"total", interval_json(total_of(result.phases))}};
}

json scenario_json(const scenario::Scenario& scenario) {
  return {{"name", scenario.name},
          {"description", scenario.description},
          {"full", scenario.full},
          {"seconds", scenario.seconds()},
          {"scale", scenario.scale}};
}

json operations_json(const Latencies& done, const Latencies& waiting, const Latencies& any_moment,
                     double seconds) {
  Latencies all = done;
  all.add(waiting);
  json operations = json::object();
  for (std::size_t i = 0; i < scenario::kOperations; ++i) {
    if (all.of[i].count() == 0) continue;
    json one = latency_json(done.of[i].count(), all.of[i], seconds);
    const Histogram& moments = any_moment.of[i];
    if (moments.count() > 0) one["any_moment_p99_us"] = moments.percentile_us(0.99);
    operations[std::string(scenario::kOperationNames[i])] = std::move(one);
  }
  return operations;
}

json family_json(const FamilyInterval& family, double seconds) {
  const auto count = family.latencies.count();
  return {{"operations_done", count},
          {"ops_per_second", seconds > 0 ? static_cast<double>(count) / seconds : 0.0},
          {"operations", operations_json(family.latencies, {}, {}, seconds)},
          {"flush_and_compaction_bytes_written", family.compaction_bytes_written},
          {"pending_compaction_bytes", family.gauges.pending_compaction_bytes},
          {"l0_files", family.gauges.l0_files},
          {"immutable_memtables", family.gauges.immutable_memtables},
          {"sst_bytes", family.gauges.sst_bytes}};
}

}  // namespace

json interval_json(const Interval& interval) {
  const auto count = interval.latencies.count();
  json out = {{"start_seconds", interval.start_seconds},
              {"seconds", interval.seconds},
              {"operations_done", count},
              {"operations_never_started", interval.never_started},
              {"reads_not_found", interval.not_found},
              {"ops_per_second",
               interval.seconds > 0 ? static_cast<double>(count) / interval.seconds : 0.0},
              {"operations", operations_json(interval.latencies, interval.waiting,
                                             interval.any_moment, interval.seconds)},
              {"stall_seconds", static_cast<double>(interval.counters.stall_us) / 1e6},
              {"user_bytes_written", interval.counters.user_bytes_written},
              {"flush_bytes_written", interval.counters.flush_bytes_written},
              {"compaction_bytes_written", interval.counters.compaction_bytes_written},
              {"compaction_bytes_read", interval.counters.compaction_bytes_read},
              {"write_amplification", optional_number(interval.counters.write_amplification())},
              {"cache_hit_ratio", optional_number(interval.counters.cache_hit_ratio())}};
  for (const FamilyInterval& family : interval.families) {
    out["families"][family.name] = family_json(family, interval.seconds);
  }
  out.update(gauges_json(interval.gauges));
  return out;
}

Interval total_of(const std::vector<PhaseResult>& phases) {
  Interval total;
  if (!phases.empty()) total.start_seconds = phases.front().total.start_seconds;
  for (const PhaseResult& phase : phases) {
    total.seconds += phase.total.seconds;
    total.never_started += phase.total.never_started;
    total.waiting.add(phase.total.waiting);
    total.not_found += phase.total.not_found;
    total.latencies.add(phase.total.latencies);
    total.any_moment.add(phase.total.any_moment);
    total.counters.add(phase.total.counters);
    total.gauges = phase.total.gauges;
    total.families.resize(phase.total.families.size());
    for (std::size_t i = 0; i < total.families.size(); ++i) {
      const FamilyInterval& part = phase.total.families[i];
      FamilyInterval& sum = total.families[i];
      sum.name = part.name;
      sum.latencies.add(part.latencies);
      sum.gauges = part.gauges;
      sum.compaction_bytes_written += part.compaction_bytes_written;
    }
  }
  return total;
}

json result_json(const RunResult& result) {
  json databases = json::array();
  for (std::size_t i = 0; i < result.databases.size(); ++i) {
    databases.push_back(database_json(result.scenario.databases[i], result.databases[i]));
  }
  return {{"schema", kResultSchema},
          {"started", result.started},
          {"partial", result.partial},
          {"partial_reason", result.partial ? json(result.partial_reason) : json(nullptr)},
          {"rocksdb_version", rocksdb_version()},
          {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"scenario", scenario_json(result.scenario)},
          {"objective", scenario::objective_json(result.scenario.objective)},
          {"device", device_json(result)},
          {"databases", std::move(databases)}};
}

}  // namespace rocktune::bench
