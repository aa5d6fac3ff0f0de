// What the parts of derive() share: rates from two readings of a counter, and the fill functions,
// one per source. For model/ and sim/.
//
// All of them follow one rule: a value is finite or absent. A counter that was not read in both
// samples, or that runs backwards, gives no rate.
#pragma once

#include <cmath>
#include <optional>

#include "model/features.h"
#include "model/histogram_form.h"

namespace rocktune::derivation {

// Shorter intervals than this carry no rate: one event more or less would dominate it.
inline constexpr double kShortestIntervalSeconds = 0.001;

inline Value finite(double value) {
  return std::isfinite(value) ? Value(value) : std::nullopt;
}

inline Value gauge(const Counter& counter) {
  return counter ? Value(static_cast<double>(*counter)) : std::nullopt;
}

// How much a counter grew; absent when either is absent or it ran backwards.
inline Value growth(const Counter& older, const Counter& newer) {
  if (!older || !newer || *newer < *older) return std::nullopt;
  return static_cast<double>(*newer - *older);
}

inline Value per_second(const Value& amount, double seconds) {
  if (!amount || seconds < kShortestIntervalSeconds) return std::nullopt;
  return finite(*amount / seconds);
}

inline Value rate(const Counter& older, const Counter& newer, double seconds) {
  return per_second(growth(older, newer), seconds);
}

// part / whole; absent when either is, or when the whole is not above zero.
inline Value ratio(const Value& part, const Value& whole) {
  if (!part || !whole || !(*whole > 0)) return std::nullopt;
  return finite(*part / *whole);
}

inline Value at_most(const Value& value, double limit) {
  return value ? Value(std::fmin(*value, limit)) : std::nullopt;
}

// derive() for whoever does not need the newer sample's knobs and column families any more: they
// are moved out of it.
Features derive_from(const Sample* older, Sample& newer, HistogramForm form);

// The quantiles and the mean of what was counted between two cumulative histograms, as
// interval_quantile_us() and interval_mean_us() tell them one by one.
struct IntervalLatency {
  Value p50_us, p99_us, mean_us;
};
IntervalLatency interval_latency(const LatencyHistogram& older, const LatencyHistogram& newer);
// The same of a histogram that counted nothing else.
IntervalLatency interval_latency(const LatencyHistogram& counted);

// Gauges of the newer reading alone.
void fill_database_gauges(const DatabaseReading& newer, Features& out);
void fill_lsm_shape(const DatabaseReading& newer, const KnobReadings& knobs, Features& out);
void fill_limiter(const Sample& newer, Features& out);
void fill_host_gauges(const HostReading& newer, Features& out);
void fill_nvme_gauges(const NvmeReading& newer, Features& out);

// Rates: `seconds` is the time between the two readings. Gauges and knobs are filled before.
void fill_database_rates(const DatabaseReading& older, const DatabaseReading& newer,
                         HistogramForm form, double seconds, Features& out);
void fill_device_rates(const DeviceReading& older, const DeviceReading& newer, double seconds,
                       Features& out);
void fill_host_rates(const HostReading& older, const HostReading& newer, double seconds,
                     Features& out);
// After the rates of database and device, which it takes.
void fill_cache_read_hits(const DatabaseReading& older, const DatabaseReading& newer,
                          Features& out);

}  // namespace rocktune::derivation
