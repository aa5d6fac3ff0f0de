#include "tools/report/chart_specs.h"

#include "tools/report/totals.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kGiB = 1 << 30;

LineSpec line(std::string name, std::string colour, Value Features::* value) {
  return {std::move(name), std::move(colour),
          [value](const Moment& moment) { return moment.features.*value; }};
}

LineSpec probability(const char* name, const char* colour, IndicatorKind kind) {
  return {name, colour, [kind](const Moment& moment) -> Value {
            for (const Indicator& one : moment.indicators) {
              if (one.kind == kind && one.valid) return one.probability;
            }
            return std::nullopt;
          }};
}

// No line where there is no limit. `feature`: the name of what is limited.
LimitSpec limit(std::string label, std::string_view feature, Value Features::* value) {
  return {std::move(label), [feature, value](const Features& features, const Objective&) {
            const Value limit = features.*value;
            return limit && is_limit(feature, *limit) ? limit : std::nullopt;
          }};
}

Value memtable_bytes(const Moment& moment) {
  Value sum;
  for (const ColumnFamilyReading& family : moment.features.column_families) {
    if (!family.all_memtables_bytes) continue;
    sum = sum.value_or(0) + static_cast<double>(*family.all_memtables_bytes);
  }
  return sum;
}

std::vector<ChartSpec> foreground() {
  return {
      {"operations",
       Unit::kPerSecond,
       Keep::kMean,
       false,
       {line("reads", "reads", &Features::reads_per_second),
        line("writes", "writes", &Features::writes_per_second),
        line("seeks", "other", &Features::seeks_per_second)},
       {},
       "operations (RocksDB's statistics were off, or the trace was imported from a LOG)"},
      {"P99 latency",
       Unit::kMicroseconds,
       Keep::kMost,
       true,
       {line("reads", "reads", &Features::read_p99_us),
        line("writes", "writes", &Features::write_p99_us)},
       {{"read SLO",
         [](const Features&, const Objective& wanted) -> Value {
           return wanted.read_p99_seconds * 1e6;
         }},
        {"write SLO",
         [](const Features&, const Objective& wanted) -> Value {
           return wanted.write_p99_seconds * 1e6;
         }}},
       "latencies (RocksDB's statistics were off, or the trace was imported from a LOG)"},
      {"share of the time in which writes were held back",
       Unit::kPlain,
       Keep::kMean,
       false,
       {{"held back", "all",
         [](const Moment& moment) { return held_back_ratio(moment.features); }}},
       {},
       "stalls"},
      {"rate to which RocksDB delayed writes",
       Unit::kBytesPerSecond,
       Keep::kMean,
       false,
       {line("delayed rate", "all", &Features::delayed_bytes_per_second)},
       {},
       ""},
      {"probability of trouble within the horizon",
       Unit::kPlain,
       Keep::kMost,
       false,
       {probability("P99 above its SLO", "reads", IndicatorKind::kP99),
        probability("writes stall", "writes", IndicatorKind::kCompactionBacklog),
        probability("device saturated", "device", IndicatorKind::kDeviceSaturation)},
       {},
       "forecasts (too little was read to make any)"},
  };
}

std::vector<ChartSpec> tree() {
  return {
      {"level-0 files",
       Unit::kPlain,
       Keep::kMost,
       false,
       {line("files", "all", &Features::l0_files)},
       {limit("writes slow", "l0_files", &Features::l0_slowdown_files),
        limit("writes stop", "l0_files", &Features::l0_stop_files)},
       "level-0 files"},
      {"pending compaction",
       Unit::kBytes,
       Keep::kMost,
       false,
       {line("pending", "all", &Features::pending_bytes)},
       {limit("writes slow", "pending_bytes", &Features::pending_soft_bytes),
        limit("writes stop", "pending_bytes", &Features::pending_hard_bytes)},
       "pending compaction bytes"},
      {"background work",
       Unit::kBytesPerSecond,
       Keep::kMean,
       false,
       {line("flushed", "other", &Features::flush_bytes_per_second),
        line("compactions read", "reads", &Features::compaction_read_bytes_per_second),
        line("compactions wrote", "writes", &Features::compaction_write_bytes_per_second),
        line("written by users", "all", &Features::user_write_bytes_per_second)},
       {},
       "flushed and compacted bytes"},
      {"background writing through the limiter",
       Unit::kBytesPerSecond,
       Keep::kMean,
       false,
       {line("passed", "all", &Features::limiter_bytes_per_second),
        line("limit", "writes", &Features::limiter_rate)},
       {},
       "a rate limiter (there was none, or none that can be read)"},
  };
}

std::vector<ChartSpec> device() {
  return {
      {"device: throughput",
       Unit::kBytesPerSecond,
       Keep::kMean,
       false,
       {line("read", "reads", &Features::device_read_bytes_per_second),
        line("written", "writes", &Features::device_write_bytes_per_second)},
       {},
       "the device's own figures (its statistics could not be read, or the trace was imported)"},
      {"device: time per request",
       Unit::kMilliseconds,
       Keep::kMean,
       false,
       {line("reads", "reads", &Features::device_read_await_ms),
        line("writes", "writes", &Features::device_write_await_ms)},
       {{"slow",
         [](const Features&, const Objective& wanted) -> Value {
           return wanted.device_await_limit_seconds * 1e3;
         }}},
       ""},
      {"device: share of the time busy",
       Unit::kPlain,
       Keep::kMean,
       false,
       {line("busy", "all", &Features::device_busy_ratio)},
       {},
       ""},
      {"device: requests in flight",
       Unit::kPlain,
       Keep::kMean,
       false,
       {line("in flight", "all", &Features::device_queue)},
       {{"saturated",
         [](const Features&, const Objective& wanted) -> Value {
           return wanted.device_queue_limit;
         }}},
       ""},
  };
}

std::vector<ChartSpec> memory_and_cpu() {
  return {
      {"share of block look-ups that the cache answers",
       Unit::kPlain,
       Keep::kMean,
       false,
       {line("hits", "all", &Features::cache_hit_ratio)},
       {},
       "cache hits (nothing was looked up, RocksDB's statistics were off, or the trace was "
       "imported "
       "from a LOG)"},
      {"memory",
       Unit::kBytes,
       Keep::kMean,
       false,
       {line("process", "all", &Features::process_rss_bytes),
        line("block cache, used", "reads", &Features::cache_usage_bytes),
        line("block cache, capacity", "device", &Features::cache_capacity_bytes),
        {"memtables", "writes", memtable_bytes}},
       {},
       "memory"},
      {"CPUs that the process used",
       Unit::kPlain,
       Keep::kMean,
       false,
       {line("CPUs", "all", &Features::process_cpu_cores)},
       {},
       "CPU time"},
  };
}

}  // namespace

const std::vector<ChartSpec>& chart_specs() {
  static const std::vector<ChartSpec> kSpecs = [] {
    std::vector<ChartSpec> all;
    for (const auto& part : {foreground(), tree(), device(), memory_and_cpu()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kSpecs;
}

std::vector<std::string> colours() {
  return {"all", "reads", "writes", "other", "device"};
}

Scale scale_of(Unit unit, double most) {
  switch (unit) {
    case Unit::kPerSecond:
      return {1, "per second"};
    case Unit::kBytes:
      return most >= kGiB ? Scale{kGiB, "GiB"} : Scale{kMiB, "MiB"};
    case Unit::kBytesPerSecond:
      return {kMiB, "MiB/s"};
    case Unit::kMicroseconds:
      return {1e3, "ms"};
    case Unit::kMilliseconds:
      return {1, "ms"};
    case Unit::kPlain:
      break;
  }
  return {1, ""};
}

std::string value_text(Unit unit, double value) {
  switch (unit) {
    case Unit::kPerSecond:
      return count_text(value) + "/s";
    case Unit::kBytes:
      return bytes_text(value);
    case Unit::kBytesPerSecond:
      return rate_text(value);
    case Unit::kMicroseconds:
      return microseconds_text(value);
    case Unit::kMilliseconds:
      return microseconds_text(value * 1e3);
    case Unit::kPlain:
      break;
  }
  return number_text(value);
}

}  // namespace rocktune::tools
