// Features of the host, the process's cgroup and the process.
#include "model/derive.h"

namespace rocktune::derivation {
namespace {

// Microseconds of waiting per time, as a share (PSI "some" totals).
Value share_of_time(const Counter& older, const Counter& newer, double seconds) {
  Value us_per_second = rate(older, newer, seconds);
  return us_per_second ? at_most(*us_per_second / 1e6, 1) : std::nullopt;
}

// More than twice the limit is no share of it, but another group's counter.
constexpr double kMostLimitUse = 2;

Value io_limit_use(const HostReading& older, const HostReading& newer, double seconds) {
  Value most;
  const auto take = [&](const Counter& before, const Counter& after, const Counter& limit) {
    const Value share = at_most(ratio(rate(before, after, seconds), gauge(limit)), kMostLimitUse);
    if (share && (!most || *share > *most)) most = share;
  };
  take(older.io_read_bytes, newer.io_read_bytes, newer.io_read_bytes_limit);
  take(older.io_write_bytes, newer.io_write_bytes, newer.io_write_bytes_limit);
  take(older.io_reads, newer.io_reads, newer.io_reads_limit);
  take(older.io_writes, newer.io_writes, newer.io_writes_limit);
  return most;
}

}  // namespace

void fill_host_gauges(const HostReading& newer, Features& out) {
  out.cpus = gauge(newer.cpus);
  if (newer.cpu_quota_millis) out.cpu_quota = static_cast<double>(*newer.cpu_quota_millis) / 1e3;
  out.memory_available_bytes = gauge(newer.memory_available_bytes);
  out.memory_total_bytes = gauge(newer.memory_total_bytes);
  out.process_rss_bytes = gauge(newer.process_rss_bytes);
}

void fill_host_rates(const HostReading& older, const HostReading& newer, double seconds,
                     Features& out) {
  Value busy = growth(older.cpu_busy_us, newer.cpu_busy_us);
  Value idle = growth(older.cpu_idle_us, newer.cpu_idle_us);
  // The kernel's iowait may run backwards (Documentation/filesystems/proc.rst): busy and idle
  // alone still tell the load.
  Value iowait = growth(older.cpu_iowait_us, newer.cpu_iowait_us);
  if (busy && idle) {
    Value total = *busy + *idle + iowait.value_or(0);
    out.cpu_busy_ratio = ratio(busy, total);
    out.cpu_iowait_ratio = ratio(iowait, total);
  }
  Value cpu_us = rate(older.process_cpu_us, newer.process_cpu_us, seconds);
  if (cpu_us) out.process_cpu_cores = *cpu_us / 1e6;
  out.cpu_pressure_ratio =
      share_of_time(older.cpu_pressure_some_us, newer.cpu_pressure_some_us, seconds);
  out.io_pressure_ratio =
      share_of_time(older.io_pressure_some_us, newer.io_pressure_some_us, seconds);
  out.memory_pressure_ratio =
      share_of_time(older.memory_pressure_some_us, newer.memory_pressure_some_us, seconds);
  out.io_limit_use_ratio = io_limit_use(older, newer, seconds);
}

}  // namespace rocktune::derivation
