#include "sim/calibrate/lsm.h"

#include <algorithm>
#include <cmath>

#include "model/derive.h"

namespace rocktune::sim {
namespace {

using derivation::growth;

// What the priors weigh: so many jobs, or, of bytes, one write buffer - of this size until one is
// seen.
constexpr double kPriorJobs = 10;
// Deeper compactions merge as those out of level 0 do. What seems so many times as fast was read by
// compactions that still run.
constexpr double kMostDeeperFaster = 3;
constexpr double kUsualBufferBytes = 64 << 20;

double interval_seconds(const Sample& older, const Sample& newer) {
  return seconds_between(older.database->agent_tick, newer.database->agent_tick);
}

// What was summed up, with a prior that weighs `bytes`.
struct Weighed {
  double bytes = 0;

  // Bytes a second.
  [[nodiscard]] double rate(double sum, double seconds, double prior) const {
    return std::min((sum + bytes) / (seconds + bytes / prior), kFastestJob);
  }
  [[nodiscard]] double ratio(double over, double under, double prior) const {
    return (over + prior * bytes) / (under + bytes);
  }
};

}  // namespace

void LsmCalibration::update(const Sample& older, const Sample& newer) {
  if (older.database->column_families.size() != newer.database->column_families.size()) return;
  add_writes(older, newer);
  add_flushes(older, newer);
  add_compactions(older, newer);
}

void LsmCalibration::add_writes(const Sample& older, const Sample& newer) {
  const DatabaseReading& from = *older.database;
  const DatabaseReading& to = *newer.database;
  const auto keys = growth(from.keys_written, to.keys_written);
  if (!keys) return;
  const auto user = growth(from.user_bytes_written, to.user_bytes_written);
  const auto flushed = growth(from.flush_bytes_written, to.flush_bytes_written);
  sums_.keys += *keys;
  sums_.keyed_user_bytes += user.value_or(0);
  sums_.keyed_flush_bytes += flushed.value_or(0);
  // Delayed at one rate all along: what the rate lets through.
  const double delayed = static_cast<double>(to.delayed_write_rate.value_or(0));
  if (delayed > 0 && from.delayed_write_rate == to.delayed_write_rate) {
    sums_.delayed_keys += *keys;
    sums_.delayed_allowed += delayed * interval_seconds(older, newer);
  }
}

void LsmCalibration::add_flushes(const Sample& older, const Sample& newer) {
  const DatabaseReading& from = *older.database;
  const DatabaseReading& to = *newer.database;
  const auto bytes = growth(from.flush_bytes_written, to.flush_bytes_written);
  if (!bytes) return;
  const auto running =
      static_cast<double>(from.running_flushes.value_or(0) + to.running_flushes.value_or(0));
  sums_.flush_seconds += running / 2 * interval_seconds(older, newer);
  for (std::size_t i = 0; i < to.column_families.size(); ++i) {
    const auto flushes =
        growth(from.column_families[i].flushes, to.column_families[i].flushes).value_or(0);
    sums_.flushes += flushes;
    sums_.buffer_bytes +=
        flushes * static_cast<double>(to.column_families[i].write_buffer_bytes.value_or(0));
  }
  sums_.flush_bytes += *bytes;
}

void LsmCalibration::add_compactions(const Sample& older, const Sample& newer) {
  const DatabaseReading& from = *older.database;
  const DatabaseReading& to = *newer.database;
  const auto read = growth(from.compaction_bytes_read, to.compaction_bytes_read);
  const auto written = growth(from.compaction_bytes_written, to.compaction_bytes_written);
  if (!read || !written) return;
  sums_.read_bytes += *read;
  sums_.written_bytes += *written;
  double l0_bytes = 0;
  for (std::size_t i = 0; i < to.column_families.size(); ++i) {
    const ColumnFamilyReading& before = from.column_families[i];
    const ColumnFamilyReading& now = to.column_families[i];
    const double bytes =
        growth(before.l0_compactions_input_bytes, now.l0_compactions_input_bytes).value_or(0);
    const double milliseconds = growth(before.l0_compactions_ms, now.l0_compactions_ms).value_or(0);
    add_l0(bytes, milliseconds / 1000,
           growth(before.l0_compactions, now.l0_compactions).value_or(0));
    l0_bytes += bytes;
    sums_.deep_seconds +=
        growth(before.deep_compactions_ms, now.deep_compactions_ms).value_or(0) / 1000;
  }
  // Running compactions are in what was read, but not yet in what ended.
  sums_.deep_bytes += *read - l0_bytes;
}

void LsmCalibration::add_l0(double bytes, double seconds, double jobs) {
  sums_.l0_bytes += bytes;
  sums_.l0_seconds += seconds;
  if (jobs != 1 || !(seconds > 0) || !(bytes > 0)) return;
  const double speed = std::log(bytes / seconds);
  sums_.jobs += 1;
  sums_.speeds += speed;
  sums_.squared_speeds += speed * speed;
}

double LsmCalibration::prior_bytes() const {
  return sums_.buffer_bytes > 0 ? sums_.buffer_bytes / sums_.flushes : kUsualBufferBytes;
}

Seen LsmCalibration::seen() const {
  const auto enough = [&](double bytes, double seconds) {
    return bytes >= prior_bytes() && seconds > 0;
  };
  Seen seen;
  seen.flush_speed = enough(sums_.flush_bytes, sums_.flush_seconds);
  seen.l0_speed = enough(sums_.l0_bytes, sums_.l0_seconds);
  seen.deep_speed = enough(sums_.deep_bytes, sums_.deep_seconds) &&
                    sums_.deep_bytes <= kMostDeeperFaster * l0_speed() * sums_.deep_seconds;
  return seen;
}

double LsmCalibration::l0_speed() const {
  return Weighed{prior_bytes()}.rate(sums_.l0_bytes, sums_.l0_seconds, Laws().l0_bytes_per_second);
}

Laws LsmCalibration::laws() const {
  const Laws prior;
  Laws laws;
  const Weighed weighed{prior_bytes()};
  const double bytes =
      sums_.keyed_user_bytes > 0 ? sums_.keyed_user_bytes : sums_.keyed_flush_bytes;
  if (sums_.keys > 0 && bytes > 0) laws.bytes_per_write = bytes / sums_.keys;
  if (sums_.keyed_user_bytes > 0) {
    laws.flush_output =
        weighed.ratio(sums_.keyed_flush_bytes, sums_.keyed_user_bytes, prior.flush_output);
  }
  if (sums_.buffer_bytes > 0) {
    const double fill = sums_.flush_bytes / laws.flush_output / sums_.buffer_bytes;
    laws.memtable_fill = std::clamp(fill, 0.1, 1.0);
  }
  const Seen told = seen();
  if (told.flush_speed) {
    laws.flush_bytes_per_second =
        weighed.rate(sums_.flush_bytes, sums_.flush_seconds, prior.flush_bytes_per_second);
  }
  if (told.l0_speed) laws.l0_bytes_per_second = l0_speed();
  // Deeper compactions read and merge as those out of L0 do, until they are seen to differ.
  laws.deep_bytes_per_second = laws.l0_bytes_per_second;
  if (told.deep_speed) {
    laws.deep_bytes_per_second =
        weighed.rate(sums_.deep_bytes, sums_.deep_seconds, laws.l0_bytes_per_second);
  }
  laws.tree.survival =
      std::min(1.0, weighed.ratio(sums_.written_bytes, sums_.read_bytes, prior.tree.survival));
  const double mean = sums_.jobs > 0 ? sums_.speeds / sums_.jobs : 0;
  const double squares = std::max(sums_.squared_speeds - sums_.jobs * mean * mean, 0.0);
  const double prior_squares = kPriorJobs * prior.job_spread * prior.job_spread;
  laws.job_spread = std::sqrt((squares + prior_squares) / (sums_.jobs + kPriorJobs));
  laws.delayed_bytes = weighed.ratio(sums_.delayed_keys * laws.bytes_per_write,
                                     sums_.delayed_allowed, prior.delayed_bytes);
  return laws;
}

}  // namespace rocktune::sim
