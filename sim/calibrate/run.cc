#include "sim/calibrate/run.h"

#include <algorithm>

#include "model/derive.h"
#include "model/text.h"
#include "sim/calibrate/speeds.h"

namespace rocktune::sim {
namespace {

using derivation::growth;

// Where a run does not say how many CPUs it had, they were no limit that we know of.
constexpr double kPlentyCpus = 1e6;

// Picking at random comes to 1: a fit that is more has other reasons. Less has who writes to a few
// ranges of keys.
constexpr double kLeastOverlap = 0.05, kMostOverlap = 1.2;
constexpr int kOverlapRounds = 7;  // to within 0.01
// What compactions read has to differ by this much between them for a fit to mean something.
constexpr double kLeastTold = 0.05;

// Beyond these a trace is damaged, or nothing that was seen: each poll of a gap is simulated, and
// each event of a rate. Of one process, operations and bytes a second.
constexpr double kLongestGapSeconds = 86400;
constexpr double kMostOperations = 1e9, kMostBytes = 1e14;

std::optional<DeviceLaws> device_laws(const DeviceCapacities& capacities) {
  if (!capacities.read || !capacities.write) return std::nullopt;
  DeviceLaws laws;
  laws.read = *capacities.read;
  laws.write = *capacities.write;
  laws.mixing_loss = capacities.mixing_loss.value_or(laws.mixing_loss);
  if (capacities.read_await_seconds) {
    laws.read_latency_seconds = std::max(
        *capacities.read_await_seconds - capacity_share(laws.read, kRatedRequestBytes, 1), 0.0);
  }
  return laws;
}

std::optional<MemoryLaws> memory_laws(const Sample& begin) {
  if (!begin.host) return std::nullopt;
  const Counter &total = begin.host->memory_total_bytes,
                &available = begin.host->memory_available_bytes;
  if (!total || !available) return std::nullopt;
  return MemoryLaws{static_cast<double>(*total), static_cast<double>(*available)};
}

double seconds_of(const std::optional<LatencyHistogram>& from,
                  const std::optional<LatencyHistogram>& to) {
  return from && to && to->sum_us >= from->sum_us
             ? static_cast<double>(to->sum_us - from->sum_us) / 1e6
             : 0;
}

// Little's law: how long all operations took together, over the time in which they ended.
std::optional<double> busy_threads(const DatabaseReading& from, const DatabaseReading& to,
                                   double seconds) {
  if (!to.read_latency && !to.write_latency) return std::nullopt;
  return (seconds_of(from.read_latency, to.read_latency) +
          seconds_of(from.write_latency, to.write_latency)) /
         seconds;
}

}  // namespace

bool is_held_back(const Sample& sample) {
  const DatabaseReading& database = *sample.database;
  return database.delayed_write_rate.value_or(0) > 0 || database.write_stopped.value_or(0) > 0;
}

void RunCalibration::doubt(const Sample& older, const Sample& newer) {
  const DatabaseReading& from = *older.database;
  const DatabaseReading& to = *newer.database;
  const double seconds = seconds_between(from.agent_tick, to.agent_tick);
  const std::string where = " between samples " + std::to_string(older.sequence) + " and " +
                            std::to_string(newer.sequence);
  if (seconds > kLongestGapSeconds) {
    absurd_ = "there are " + text::duration(seconds) + where +
              ": nobody knows what was asked for in that time, so it is not simulated";
    return;
  }
  const auto check = [&](const Counter& before, const Counter& after, double most,
                         const char* what) {
    const double rate = growth(before, after).value_or(0) / seconds;
    if (rate <= most) return;
    absurd_ = text::amount(rate) + " " + what + " a second" + where +
              ": no machine does that, the trace is damaged";
  };
  check(from.keys_written, to.keys_written, kMostOperations, "keys written");
  check(from.keys_read, to.keys_read, kMostOperations, "keys read");
  check(from.user_bytes_written, to.user_bytes_written, kMostBytes, "bytes written by users");
  check(from.flush_bytes_written, to.flush_bytes_written, kMostBytes, "bytes flushed");
  check(from.compaction_bytes_read, to.compaction_bytes_read, kMostBytes, "bytes compacted");
}

void RunCalibration::note(const Sample& older, const Sample& newer, Intervals& intervals) {
  if (absurd_.empty()) doubt(older, newer);
  const DatabaseReading& from = *older.database;
  const DatabaseReading& to = *newer.database;
  const double seconds = seconds_between(from.agent_tick, to.agent_tick);
  const auto written = growth(from.keys_written, to.keys_written);
  const double reads = growth(from.keys_read, to.keys_read).value_or(0);
  writes_known_ = writes_known_ || written;
  intervals.demand.push_back({seconds, reads / seconds, written.value_or(0) / seconds,
                              !written || is_held_back(older) || is_held_back(newer),
                              busy_threads(from, to, seconds)});
  intervals.reads.push_back(cache_use(from, to));
}

bool RunCalibration::add(const Sample& sample) {
  if (!sample.database) return false;
  if (!begin_) begin_ = sample;
  const Nanoseconds tick = sample.database->agent_tick;
  learnt_ = learnt_ || seconds_between(begin_->database->agent_tick, tick) > calibrate_seconds_;
  const bool learns = !learnt_;
  const bool pair =
      last_ && last_->incarnation == sample.incarnation && tick > last_->database->agent_tick;
  Intervals& intervals = learns ? learning_ : intervals_;
  if (pair) {
    note(*last_, sample, intervals);
  } else if (last_ && tick > last_->database->agent_tick) {
    // A machine that was booted since counts its ticks anew: nobody knows how long that took.
    intervals.absences.push_back(
        {intervals.demand.size(), seconds_between(last_->database->agent_tick, tick)});
  }
  if (learns && pair) learn(*last_, sample);
  if (learns) start_ = sample;
  last_ = sample;
  return pair && !learns;
}

void RunCalibration::learn(const Sample& older, const Sample& newer) {
  lsm_.update(older, newer);
  reads_.update(older, newer);
  device_.update(derive(&older, newer));
  compaction_bytes_read_ +=
      growth(older.database->compaction_bytes_read, newer.database->compaction_bytes_read)
          .value_or(0);
}

HostLaws RunCalibration::machine(const Sample& begin, const DeviceCapacities& device) const {
  const Counter cpus = begin.host ? begin.host->cpus : Counter();
  HostLaws laws{cpus ? static_cast<double>(*cpus) : kPlentyCpus, device_laws(device)};
  if (laws.device) return laws;
  const auto seen = device_.capacities();
  if (!seen) return laws;
  laws.device = device_laws(*seen);
  laws.device_spread = kLearntDeviceSpread;
  laws.device_learnt = true;
  return laws;
}

Result<SimulationInput> RunCalibration::input_from(const Sample& begin, const Intervals& intervals,
                                                   std::string_view rocksdb_version,
                                                   const HostLaws& machine, KnobsAt knobs) const {
  const auto options = plant_options(begin, rocksdb_version, knobs);
  if (!options) return tl::unexpected(options.error());
  SimulationInput input;
  input.options = *options;
  input.laws = laws();
  input.seen = seen();
  input.host = machine;
  if (!machine.memory) input.host.memory = memory_laws(begin);
  input.state = family_states(begin, input.laws);
  input.delayed_rate = delayed_rate(begin);
  input.demand = recorded_demand(intervals.demand);
  follow_misses(intervals.reads, input.laws.reads, input.demand);
  for (const Absence& one : intervals.absences) {
    if (one.interval < intervals.demand.size()) input.demand.absences.push_back(one);
  }
  input.begin = begin.database->agent_tick;
  input.device_name = begin.device ? begin.device->name : "";
  return input;
}

Seen RunCalibration::seen() const {
  Seen seen = lsm_.seen();
  seen.cache = reads_.seen();
  return seen;
}

Laws RunCalibration::laws() const {
  Laws laws = lsm_.laws();
  laws.read_piece_bytes = readahead_bytes_.value_or(laws.read_piece_bytes);
  laws.reads = reads_.laws();
  return laws;
}

// More overlap is more to read: halved until it is known well enough. Absent where the first part
// tells nothing of it: no compaction that had a next level, or another opening of the database in
// it.
std::optional<double> RunCalibration::fitted_overlap(std::string_view rocksdb_version) const {
  if (!begin_ || begin_->incarnation != start_->incarnation) return std::nullopt;
  auto input =
      input_from(*begin_, learning_, rocksdb_version, {kPlentyCpus, {}}, KnobsAt::kRecorded);
  if (!input || !(compaction_bytes_read_ > 0)) return std::nullopt;
  const auto read_with = [&](double overlap) {
    input->laws.tree.overlap = overlap;
    return repeat(*input, 0).totals().compaction_bytes_read;
  };
  double low = kLeastOverlap, high = kMostOverlap;
  const double least = read_with(low), most = read_with(high);
  if (!(most > (1 + kLeastTold) * least)) return std::nullopt;
  if (compaction_bytes_read_ <= least) return low;
  if (compaction_bytes_read_ >= most) return high;
  for (int round = 0; round < kOverlapRounds; ++round) {
    const double middle = (low + high) / 2;
    (read_with(middle) < compaction_bytes_read_ ? low : high) = middle;
  }
  return (low + high) / 2;
}

Result<SimulationInput> RunCalibration::finish(std::string_view rocksdb_version,
                                               const DeviceCapacities& device,
                                               KnobsAt knobs) const {
  if (!start_ || intervals_.demand.empty()) {
    return fail(ErrorCode::kInvalidArgument, "it is not longer than the part that calibrates, " +
                                                 text::duration(calibrate_seconds_));
  }
  return calibrated(*start_, intervals_, rocksdb_version, machine(*start_, device), knobs);
}

Result<SimulationInput> RunCalibration::whole(std::string_view rocksdb_version,
                                              const DeviceCapacities& device, KnobsAt knobs) const {
  return whole(rocksdb_version, begin_ ? machine(*begin_, device) : HostLaws(), knobs);
}

Result<SimulationInput> RunCalibration::whole(std::string_view rocksdb_version,
                                              const HostLaws& machine, KnobsAt knobs) const {
  if (!begin_ || learning_.demand.empty()) {
    return fail(ErrorCode::kInvalidArgument, "it has no two samples that follow each other");
  }
  Intervals all = learning_;
  all.demand.insert(all.demand.end(), intervals_.demand.begin(), intervals_.demand.end());
  all.reads.insert(all.reads.end(), intervals_.reads.begin(), intervals_.reads.end());
  for (const Absence& one : intervals_.absences) {
    all.absences.push_back({learning_.demand.size() + one.interval, one.seconds});
  }
  return calibrated(*begin_, all, rocksdb_version, machine, knobs);
}

Result<SimulationInput> RunCalibration::calibrated(const Sample& begin, const Intervals& intervals,
                                                   std::string_view rocksdb_version,
                                                   const HostLaws& machine, KnobsAt knobs) const {
  if (!absurd_.empty()) return fail(ErrorCode::kCorrupt, absurd_);
  if (!writes_known_) {
    return fail(ErrorCode::kUnsupported,
                "it does not say how many keys were written; a LOG tells that only together with a "
                "CSV (rocktune import --side)");
  }
  auto input = input_from(begin, intervals, rocksdb_version, machine, knobs);
  if (!input) return tl::unexpected(input.error());
  if (const auto overlap = fitted_overlap(rocksdb_version)) {
    input->laws.tree.overlap = *overlap;
    input->seen.overlap = true;
  }
  // As far as the first part can be simulated: otherwise speeds stay as they were seen.
  auto learnt = input_from(*begin_, learning_, rocksdb_version, machine, KnobsAt::kRecorded);
  if (learnt && begin_->incarnation == start_->incarnation) {
    learnt->laws = input->laws;
    learnt->seen = input->seen;
    const KnownLaws alone = with_speeds_alone(*std::move(learnt));
    input->laws = alone.laws;
    input->seen = alone.seen;
  } else if (input->options.rate_limit > 0) {
    input->seen.flush_speed = input->seen.l0_speed = input->seen.deep_speed = false;
  }
  return input;
}

}  // namespace rocktune::sim
