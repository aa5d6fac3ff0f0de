// Features of the block device, and of the health of an NVMe controller. The former from
// /sys/block/<name>/stat (Documentation/block/stat.rst).
#include <bit>

#include "model/derive.h"

namespace rocktune::derivation {

inline constexpr double kSectorBytes = 512;
// NVM Express base specification: "the number of 512 byte data units ... in thousands".
inline constexpr double kDataUnitBytes = 512'000;
inline constexpr double kZeroCelsius = 273;  // as the specification's own conversions have it

void fill_device_rates(const DeviceReading& older, const DeviceReading& newer, double seconds,
                       Features& out) {
  if (older.name != newer.name) return;  // the data moved: these are counters of two devices
  Value read_sectors = rate(older.read_sectors, newer.read_sectors, seconds);
  Value write_sectors = rate(older.write_sectors, newer.write_sectors, seconds);
  if (read_sectors) out.device_read_bytes_per_second = *read_sectors * kSectorBytes;
  if (write_sectors) out.device_write_bytes_per_second = *write_sectors * kSectorBytes;
  out.device_read_iops = rate(older.read_ios, newer.read_ios, seconds);
  out.device_write_iops = rate(older.write_ios, newer.write_ios, seconds);
  out.device_read_await_ms =
      ratio(growth(older.read_ms, newer.read_ms), growth(older.read_ios, newer.read_ios));
  out.device_write_await_ms =
      ratio(growth(older.write_ms, newer.write_ms), growth(older.write_ios, newer.write_ios));
  Value queue_ms = rate(older.queue_ms, newer.queue_ms, seconds);
  if (queue_ms) out.device_queue = *queue_ms / 1000;  // Little: time in flight per time
  Value busy_ms = rate(older.busy_ms, newer.busy_ms, seconds);
  if (busy_ms) out.device_busy_ratio = at_most(*busy_ms / 1000, 1);
}

void fill_nvme_gauges(const NvmeReading& newer, Features& out) {
  if (newer.temperature_kelvin) {
    out.nvme_temperature_celsius = static_cast<double>(*newer.temperature_kelvin) - kZeroCelsius;
  }
  out.nvme_wear_ratio = ratio(gauge(newer.used_percent), 100);
  if (newer.critical_warning) {
    out.nvme_critical_warnings = static_cast<double>(std::popcount(*newer.critical_warning));
  }
  out.nvme_media_errors = gauge(newer.media_errors);
  const Value throttled = growth(newer.throttle_seconds_before, newer.throttle_seconds);
  if (const Value period = gauge(newer.period_ms); throttled && period) {
    // Whole seconds of two states: more than the period is rounding.
    out.nvme_throttled_ratio = at_most(ratio(*throttled * 1000, period), 1);
  }
  if (const Value host_units = gauge(newer.data_units_written); host_units) {
    out.device_write_amplification =
        ratio(gauge(newer.media_bytes_written), *host_units * kDataUnitBytes);
  }
}

}  // namespace rocktune::derivation
