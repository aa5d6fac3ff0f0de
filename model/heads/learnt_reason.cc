#include "model/heads/learnt_reason.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/heads/evidence.h"
#include "model/text.h"

namespace rocktune {
namespace {

// How a driver's value reads after "above all that": what stands before it, how it is written, what
// stands behind it.
struct Wording {
  std::string_view feature, before;
  std::string (*write)(double);
  std::string_view after;
};

constexpr std::array<Wording, 23> kWordings = {{
    {kForecastFeature, "its own course makes it ", text::percent, " probable"},
    {"p99", "a broken latency limit is ", text::percent, " probable"},
    {"compaction_backlog", "a write stall is ", text::percent, " probable"},
    {"device_saturation", "a saturated device is ", text::percent, " probable"},
    {"seconds_since_event", "it held last ", text::duration, " ago"},
    {"seconds_since_onset", "it began last ", text::duration, " ago"},
    {"l0_files", "L0 has ", text::amount, " files"},
    {"l0_peak_files", "L0 is foreseen to reach ", text::amount, " files"},
    {"l0_compaction_begins_seconds", "a compaction out of L0 begins in ", text::duration, ""},
    {"running_compactions", "running compactions are ", text::amount, ""},
    {"flush_bytes_per_second", "flushes write ", text::rate, ""},
    {"compaction_write_bytes_per_second", "compactions write ", text::rate, ""},
    {"pending_bytes", "", text::bytes, " wait for compaction"},
    {"immutable_memtables", "memtables that wait for their flush are ", text::amount, ""},
    {"stalled_ratio", "writers lost ", text::percent, " of the time"},
    {"device_load", "the device is loaded to ", text::percent, ""},
    {"device_queue", "requests in flight at the device are ", text::amount, ""},
    {"device_read_await_ms", "the device takes ", text::amount, " ms for a request"},
    {"io_pressure_ratio", "tasks waited for I/O ", text::percent, " of the time"},
    {"read_p99_us", "read P99 is ", text::microseconds, ""},
    {"write_p99_us", "write P99 is ", text::microseconds, ""},
    {"operations_per_second", "operations per second went to ", text::amount, ""},
    {"cache_misses_per_second", "cache misses per second are ", text::amount, ""},
}};

std::string describe_driver(const Driver& driver) {
  for (const Wording& wording : kWordings) {
    if (wording.feature != driver.feature) continue;
    std::string out(wording.before);
    out += wording.write(driver.value);
    out += wording.after;
    return out;
  }
  return driver.feature + " is " + text::amount(driver.value);
}

}  // namespace

std::string learnt_reason(const Indicator& indicator) {
  std::string out = "; what was learnt makes it " + text::percent(indicator.near_probability) +
                    " probable within " + text::duration(indicator.horizon_seconds / 2);
  const auto most = std::max_element(
      indicator.drivers.begin(), indicator.drivers.end(),
      [](const Driver& a, const Driver& b) { return a.weight.value_or(0) < b.weight.value_or(0); });
  if (most == indicator.drivers.end() || !(most->weight.value_or(0) > 0)) {
    return out + ", by how often it came in runs like this";
  }
  return out + ", above all that " + describe_driver(*most);
}

}  // namespace rocktune
