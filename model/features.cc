#include "model/features.h"

#include <utility>

#include "model/derive.h"
#include "model/knobs.h"

namespace rocktune {
namespace {

bool another_incarnation(const Sample& older, const Sample& newer) {
  // A poll that reached nobody carries no incarnation: that alone is no reopening.
  return !older.incarnation.empty() && !newer.incarnation.empty() &&
         older.incarnation != newer.incarnation;
}

void fill_gauges(const Sample& newer, Features& out) {
  out.at = newer.at;
  out.sequence = newer.sequence;
  out.fresh = newer.database.has_value();
  if (newer.database) {
    out.read_at = newer.database->agent_tick;
    derivation::fill_database_gauges(*newer.database, out);
    derivation::fill_lsm_shape(*newer.database, newer.knobs, out);
  }
  derivation::fill_limiter(newer, out);
  out.shared = newer.shared;
  if (newer.nvme) derivation::fill_nvme_gauges(*newer.nvme, out);
  if (newer.host) derivation::fill_host_gauges(*newer.host, out);
}

std::int64_t limit_of(const Sample& sample) {
  const KnobReading* limit = sample.knobs.find(knob::kRateLimit, "");
  return limit != nullptr ? limit->value : kUnlimitedBytesPerSecond;
}

void fill_rates(const Sample& older, const Sample& newer, HistogramForm form, Features& out) {
  if (older.database && newer.database) {
    double seconds = seconds_between(older.database->agent_tick, newer.database->agent_tick);
    if (seconds >= derivation::kShortestIntervalSeconds) {
      out.interval_seconds = seconds;
      derivation::fill_database_rates(*older.database, *newer.database, form, seconds, out);
      // What a higher limit has let through says nothing of the use of this one. A lower one has
      // let through less than this one would have.
      if (limit_of(newer) < limit_of(older)) out.limiter_use_ratio.reset();
    }
  }
  double seconds = seconds_between(older.at.tick, newer.at.tick);
  if (seconds < derivation::kShortestIntervalSeconds) return;
  if (older.device && newer.device) {
    derivation::fill_device_rates(*older.device, *newer.device, seconds, out);
  }
  if (older.database && newer.database) {
    derivation::fill_cache_read_hits(*older.database, *newer.database, out);
  }
  if (older.host && newer.host) {
    derivation::fill_host_rates(*older.host, *newer.host, seconds, out);
  }
}

// Everything but the lists that are taken over as they are.
Features derive_values(const Sample* older, const Sample& newer, HistogramForm form) {
  Features out;
  fill_gauges(newer, out);
  if (older == nullptr) return out;
  if (another_incarnation(*older, newer)) {
    out.reset = true;
    return out;
  }
  if (newer.sequence > older->sequence) out.missed_polls = newer.sequence - older->sequence - 1;
  fill_rates(*older, newer, form, out);
  return out;
}

}  // namespace

Features derive(const Sample* older, const Sample& newer) {
  Features out = derive_values(older, newer, HistogramForm::kSinceOpened);
  out.knobs = newer.knobs;
  if (newer.database) out.column_families = newer.database->column_families;
  return out;
}

Features derivation::derive_from(const Sample* older, Sample& newer, HistogramForm form) {
  Features out = derive_values(older, newer, form);
  out.knobs = newer.knobs;
  if (newer.database) out.column_families = std::move(newer.database->column_families);
  return out;
}

}  // namespace rocktune
