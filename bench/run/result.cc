#include "bench/run/result.h"

#include <rocksdb/version.h>
#include <unistd.h>

#include <ctime>

namespace rocktune::bench {

std::string rfc3339_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string rocksdb_version() {
  return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + "." +
         std::to_string(ROCKSDB_PATCH);
}

namespace {

using nlohmann::json;

constexpr const char* kSchema = "rocktune-bench/1";

json optional_number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json latency_json(const Histogram& histogram, double seconds) {
  return {{"count", histogram.count()},
          {"ops_per_second", seconds > 0 ? static_cast<double>(histogram.count()) / seconds : 0.0},
          {"mean_us", histogram.mean_us()},
          {"p50_us", histogram.percentile_us(0.50)},
          {"p95_us", histogram.percentile_us(0.95)},
          {"p99_us", histogram.percentile_us(0.99)},
          {"p999_us", histogram.percentile_us(0.999)},
          {"max_us", histogram.max_us()}};
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

json configuration_json(const HostConfiguration& c, double scale) {
  return {{"name", c.name},
          {"scale", scale},
          {"block_cache_bytes", c.block_cache_bytes},
          {"bloom_bits_per_key", c.bloom_bits_per_key},
          {"partitioned_filters", c.partitioned_filters},
          {"cache_index_and_filter_blocks", c.cache_index_and_filter_blocks},
          {"write_buffer_size_bytes", c.write_buffer_bytes},
          {"max_write_buffer_number", c.max_write_buffer_number},
          {"target_file_size_base_bytes", c.target_file_bytes},
          {"max_bytes_for_level_base_bytes", c.max_bytes_for_level_base},
          {"level0_triggers",
           {c.level0_compaction_trigger, c.level0_slowdown_trigger, c.level0_stop_trigger}},
          {"pending_limits_bytes", {c.soft_pending_limit_bytes, c.hard_pending_limit_bytes}},
          {"max_background_jobs", c.max_background_jobs},
          {"max_subcompactions", c.max_subcompactions},
          {"rate_limit_bytes_per_second", c.rate_limit_bytes_per_second},
          {"compaction_readahead_bytes", c.compaction_readahead_bytes},
          {"rocksdb_options", c.rocksdb_options}};
}

json device_json(const std::optional<DeviceProfile>& device) {
  if (!device) return nullptr;
  return {{"label", "emulated device"},
          {"name", device->name},
          {"description", device->description},
          {"read_bytes_per_second", device->read_bytes_per_second},
          {"write_bytes_per_second", device->write_bytes_per_second},
          {"read_iops", device->read_iops},
          {"write_iops", device->write_iops},
          {"mixing_loss", device->mixing_loss},
          {"read_latency_us", device->read_latency_us},
          {"write_latency_us", device->write_latency_us},
          {"sync_latency_us", device->sync_latency_us}};
}

json workload_json(const Workload& workload) {
  return {{"name", workload.name},       {"description", workload.description},
          {"records", workload.records}, {"value_size_bytes", workload.value_size},
          {"threads", workload.threads}, {"seed", workload.seed}};
}

json phase_json(const PhaseResult& result) {
  const Phase& phase = result.phase;
  json out = {
      {"name", phase.name},
      {"planned_seconds", phase.seconds},
      {"proportions",
       {{"read", phase.mix.read},
        {"update", phase.mix.update},
        {"read_modify_write", phase.mix.read_modify_write}}},
      {"target_ops_per_second",
       phase.ops_per_second > 0 ? json(phase.ops_per_second) : json(nullptr)},
      {"distribution", phase.distribution == Distribution::kZipfian ? "zipfian" : "uniform"},
      {"total", interval_json(result.total)},
      {"per_second", result.per_second}};
  return out;
}

}  // namespace

json interval_json(const Interval& interval) {
  json operations = json::object();
  for (std::size_t i = 0; i < kOperations; ++i) {
    const Histogram& histogram = interval.latencies.of[i];
    if (histogram.count() == 0) continue;
    operations[std::string(kOperationNames[i])] = latency_json(histogram, interval.seconds);
  }
  const auto count = interval.latencies.count();
  json out = {{"start_seconds", interval.start_seconds},
              {"seconds", interval.seconds},
              {"operations_done", count},
              {"operations_never_started", interval.never_started},
              {"ops_per_second",
               interval.seconds > 0 ? static_cast<double>(count) / interval.seconds : 0.0},
              {"operations", std::move(operations)},
              {"stall_seconds", static_cast<double>(interval.counters.stall_us) / 1e6},
              {"user_bytes_written", interval.counters.user_bytes_written},
              {"flush_bytes_written", interval.counters.flush_bytes_written},
              {"compaction_bytes_written", interval.counters.compaction_bytes_written},
              {"compaction_bytes_read", interval.counters.compaction_bytes_read},
              {"write_amplification", optional_number(interval.counters.write_amplification())},
              {"cache_hit_ratio", optional_number(interval.counters.cache_hit_ratio())}};
  out.update(gauges_json(interval.gauges));
  return out;
}

Interval total_of(const RunResult& result) {
  Interval total;
  for (const PhaseResult& phase : result.phases) {
    total.seconds += phase.total.seconds;
    total.never_started += phase.total.never_started;
    total.latencies.add(phase.total.latencies);
    total.gauges = phase.total.gauges;
    Counters& sum = total.counters;
    const Counters& part = phase.total.counters;
    sum.stall_us += part.stall_us;
    sum.user_bytes_written += part.user_bytes_written;
    sum.flush_bytes_written += part.flush_bytes_written;
    sum.compaction_bytes_written += part.compaction_bytes_written;
    sum.compaction_bytes_read += part.compaction_bytes_read;
    sum.cache_hits += part.cache_hits;
    sum.cache_misses += part.cache_misses;
  }
  return total;
}

json result_json(const RunResult& result) {
  json phases = json::array();
  for (const PhaseResult& phase : result.phases) phases.push_back(phase_json(phase));
  return {{"schema", kSchema},
          {"label", result.device ? "emulated device" : "real device"},
          {"started", result.started},
          {"partial", result.partial},
          {"partial_reason", result.partial ? json(result.partial_reason) : json(nullptr)},
          {"rocksdb_version", rocksdb_version()},
          {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"database_path", result.database_path},
          {"agent", result.agent},
          {"workload", workload_json(result.workload)},
          {"configuration", configuration_json(result.configuration, result.scale)},
          {"device", device_json(result.device)},
          {"phases", std::move(phases)},
          {"total", interval_json(total_of(result))}};
}

}  // namespace rocktune::bench
