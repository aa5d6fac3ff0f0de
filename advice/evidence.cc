#include "advice/evidence.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "advice/counters.h"
#include "model/cache_lookups.h"
#include "model/cpu_use.h"
#include "model/kept_options.h"
#include "model/knobs.h"

namespace rocktune::advice {
namespace {

constexpr double kCompacting = 0.5;  // a gauge: any running compaction
// A flush over a table of level 0, and how many flushes are enough to tell: what RocksDB counts for
// a flush has the blob files in it (FlushJob, RecordFlushIOStats).
constexpr double kMuchElsewhere = 4;
constexpr double kManyFlushes = 20;

bool flushed_elsewhere(const Evidence& e) {
  double count = 0, tables = 0;
  for (const auto& [name, one] : e.families) {
    const Value flushes = one.flushes.total();
    if (!flushes || (*flushes > 0 && !one.l0_file_bytes.mean())) return false;
    count += *flushes;
    tables += *flushes * one.l0_file_bytes.mean().value_or(0);
  }
  return count >= kManyFlushes && e.flushed.total().value_or(0) > kMuchElsewhere * tables;
}

Value times(const Value& rate, double seconds) {
  return rate ? Value(*rate * seconds) : std::nullopt;
}

// Whether what missed the cache was looked up by reads, and hardly by compactions. All misses
// count here, those that the page cache serves, too: cache_read_hit_ratio leaves these out.
bool looked_up_by_reads(const Value& hits, const Value& misses, const Value& compacted) {
  if (!hits || !misses || !compacted) return false;
  return !compactions_hide_reads(*compacted / kLeastBlock, *misses, *hits + *misses);
}

Value larger(const Value& a, const Value& b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

Counter calls_of(const std::optional<LatencyHistogram>& histogram) {
  if (!histogram) return std::nullopt;
  std::uint64_t calls = 0;
  for (const LatencyHistogram::Bucket& bucket : histogram->buckets) calls += bucket.count;
  return calls;
}

Counter time_us_of(const std::optional<LatencyHistogram>& histogram) {
  return histogram ? Counter(histogram->sum_us) : std::nullopt;
}

const ColumnFamilyReading* find(const DatabaseReading* reading, const std::string& name) {
  if (reading == nullptr) return nullptr;
  for (const ColumnFamilyReading& one : reading->column_families) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

// The column family with its options as they were before the tuner turned them.
ColumnFamilyReading as_found(ColumnFamilyReading family, const KnobReadings& knobs) {
  using Field = Counter ColumnFamilyReading::*;
  static constexpr std::pair<std::string_view, Field> kTurned[] = {
      {knob::kWriteBufferSize, &ColumnFamilyReading::write_buffer_bytes},
      {knob::kWriteBuffers, &ColumnFamilyReading::max_write_buffer_number},
      {knob::kL0Trigger, &ColumnFamilyReading::level0_compaction_trigger},
      {knob::kL0Slowdown, &ColumnFamilyReading::level0_slowdown_trigger},
      {knob::kL0Stop, &ColumnFamilyReading::level0_stop_trigger},
      {knob::kSoftPending, &ColumnFamilyReading::soft_pending_limit_bytes},
      {knob::kHardPending, &ColumnFamilyReading::hard_pending_limit_bytes},
      {knob::kTargetFileSize, &ColumnFamilyReading::target_file_bytes},
      {knob::kLevelBase, &ColumnFamilyReading::max_bytes_for_level_base_bytes},
  };
  for (const auto& [name, field] : kTurned) {
    const KnobReading* knob = knobs.find(name, family.name);
    if (knob != nullptr && knob->found >= 0) {
      family.*field = static_cast<std::uint64_t>(knob->found);
    }
  }
  return family;
}

}  // namespace

void LookupTally::add(const LookupTally& other) {
  hits.add(other.hits.total(), other.hits.seconds());
  misses.add(other.misses.total(), other.misses.seconds());
  reads.add(other.reads.total(), other.reads.seconds());
}

Value LookupTally::lookups() const {
  return hits.total() && misses.total() ? Value(*hits.total() + *misses.total()) : std::nullopt;
}

Value LookupTally::hit_ratio() const {
  return ratio(hits.total(), lookups());
}

Value Evidence::knob(std::string_view name) const {
  for (const KnobReading& one : knobs) {
    if (one.name == name && one.column_family.empty()) return static_cast<double>(one.value);
  }
  const auto told = opening.options.database.find(std::string(name));
  if (told == opening.options.database.end()) return std::nullopt;
  std::int64_t value = 0;
  const char* end = told->second.data() + told->second.size();
  const auto read = std::from_chars(told->second.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return static_cast<double>(value);
}

bool Evidence::jobs_overridden() const {
  for (const char* name : {"max_background_compactions", "max_background_flushes"}) {
    if (knob(name).value_or(-1) != -1) return true;
  }
  const KnobReading* jobs = knobs.find(knob::kBackgroundJobs, "");
  return jobs != nullptr && !jobs->changeable &&
         jobs->reason.find("max_background_compactions") != std::string::npos;
}

Value Evidence::compaction_slots() const {
  if (!jobs_overridden()) {
    const Value jobs = knob(knob::kBackgroundJobs);
    return jobs ? Value(advice::compaction_slots(*jobs)) : std::nullopt;
  }
  // With max_background_flushes alone it is -1 still, which RocksDB takes for 1.
  const Value told = knob("max_background_compactions");
  const bool set = told.value_or(-1) != -1 || knob("max_background_flushes").value_or(-1) != -1;
  return told && set ? Value(std::max(1.0, *told)) : std::nullopt;
}

std::optional<std::string> Evidence::option(const std::string& name) const {
  const auto found = opening.options.database.find(name);
  if (found == opening.options.database.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> Evidence::option(const std::string& family,
                                            const std::string& name) const {
  const auto of = opening.options.column_families.find(family);
  if (of == opening.options.column_families.end()) return std::nullopt;
  const auto found = of->second.find(name);
  if (found == of->second.end()) return std::nullopt;
  return found->second;
}

bool Evidence::blob_files() const {
  return std::any_of(families.begin(), families.end(),
                     [this](const auto& one) { return blob_files(one.second); });
}

bool Evidence::blob_files(const FamilyEvidence& family) const {
  if (const auto told = option(family.name, "enable_blob_files")) {
    return *told == "true" || *told == "1";
  }
  return flushed_elsewhere(*this);
}

Value Evidence::free_memory() const {
  const Value available = memory_available.mean();
  const auto sharers = static_cast<double>(std::max<std::uint64_t>(memory_sharers.value_or(1), 1));
  return available ? Value(*available / sharers) : std::nullopt;
}

Value Evidence::writes_per_flushed_byte() const {
  const Value more = ratio(compaction_written.total(), flushed.total());
  return more ? Value(1 + *more) : std::nullopt;
}

Value Evidence::write_amplification() const {
  if (!flushed.total() || !compaction_written.total()) return std::nullopt;
  return ratio(*flushed.total() + *compaction_written.total(), user_bytes.total());
}

Value Evidence::write_trouble() const {
  Value out =
      larger(ratio(stalled.total(), stalled.seconds()), larger(delayed.share(), stopped.share()));
  for (const auto& [name, family] : families) {
    out = larger(out, larger(family.l0_slowed.share(), family.debt_slowed.share()));
    out = larger(out, family.memtables_full.share());
  }
  return out;
}

std::optional<bool> Evidence::limiter_holds() const {
  if (const Value full = limiter_full.share()) return *full >= kMostlyFullLimiter;
  return opening.limiter == "none" ? std::optional(false) : std::nullopt;
}

double compaction_slots(double jobs) {
  return std::max(1.0, jobs - std::max(1.0, std::floor(jobs / 4)));
}

void EvidenceFold::begin_recording(std::optional<std::uint64_t> memory_max) {
  evidence_.memory_max = memory_max;
  stream_ = {};
  last_.reset();
  window_seconds_ = window_user_bytes_ = window_flushed_bytes_ = 0;
}

void EvidenceFold::begin_anew() {
  Evidence next;
  next.memory_max = evidence_.memory_max;
  next.openings = evidence_.openings;
  next.begun_anew = evidence_.begun_anew + 1;
  evidence_ = std::move(next);
}

// What the database was opened with, once for each opening: later changes are the tuner's, and so
// are earlier ones where a recording begins after them.
void EvidenceFold::see_options(const Sample& sample, const OpenOptions& options) {
  if (sample.incarnation == incarnation_) return;
  incarnation_ = sample.incarnation;
  last_.reset();
  bool changed = opened_otherwise(evidence_.opening.options, options);
  for (const ColumnFamilyReading& one : sample.database->column_families) {
    ColumnFamilyReading& known = opened_with_[one.name];
    ColumnFamilyReading opened = as_found(one, sample.knobs);
    changed = changed || (!known.name.empty() && !same_options(known, opened));
    known = std::move(opened);
    known.levels.clear();
  }
  if (changed) begin_anew();
  ++evidence_.openings;
}

void EvidenceFold::add(const Sample& sample, const Opening& opening) {
  const Features features = stream_.next(sample);
  if (!sample.database) return;
  const bool opens = sample.incarnation != incarnation_;
  see_options(sample, opening.options);
  Evidence& e = evidence_;
  e.opening = opening;
  if (e.samples++ == 0) e.first_wall = sample.at.wall;
  e.last_wall = sample.at.wall;
  e.knobs = sample.knobs;
  e.memory_sharers = sample.shared ? sample.shared->host_members : std::nullopt;
  const bool paired = last_ && !features.reset && features.interval_seconds > 0;
  const double seconds = paired ? features.interval_seconds : 0;
  e.settled.add(sample.knobs, seconds, opens);
  std::set<std::string> open;
  for (const ColumnFamilyReading& one : sample.database->column_families) {
    const ColumnFamilyReading* older = paired ? find(&*last_, one.name) : nullptr;
    FamilyEvidence& family = e.families[one.name];
    family.add(older, one, seconds);
    if (older != nullptr) {
      family.add_flushed(*older, one, times(features.user_write_bytes_per_second, seconds),
                         times(features.flush_bytes_per_second, seconds), seconds);
    }
    open.insert(one.name);
  }
  std::erase_if(e.families, [&](const auto& one) { return !open.contains(one.first); });
  if (paired) {
    e.seconds += seconds;
    add_rates(features);
    add_lookups(features, *sample.database);
    add_gauges(features, *sample.database);
    add_limiter(features, sample);
    add_peak(features);
  }
  last_ = sample.database;
}

void EvidenceFold::add_rates(const Features& f) {
  Evidence& e = evidence_;
  const double s = f.interval_seconds;
  e.reads.add(times(f.reads_per_second, s), s);
  e.writes.add(times(f.writes_per_second, s), s);
  e.seeks.add(times(f.seeks_per_second, s), s);
  e.user_bytes.add(times(f.user_write_bytes_per_second, s), s);
  e.wal_bytes.add(times(f.wal_bytes_per_second, s), s);
  e.stalled.add(times(f.stalled_ratio, s), s);
  e.flushed.add(times(f.flush_bytes_per_second, s), s);
  e.compaction_written.add(times(f.compaction_write_bytes_per_second, s), s);
  e.compaction_read.add(times(f.compaction_read_bytes_per_second, s), s);
  if (f.running_flushes.value_or(0) > 0) {
    e.flushed_while_flushing.add(times(f.flush_bytes_per_second, s), s);
  }
}

void EvidenceFold::add_lookups(const Features& f, const DatabaseReading& now) {
  Evidence& e = evidence_;
  const double s = f.interval_seconds;
  const Value hits = grown(last_->block_cache_hits, now.block_cache_hits);
  e.hits.add(hits, s);
  e.filter_useful.add(grown(last_->bloom_useful, now.bloom_useful), s);
  const Value misses = grown(last_->block_cache_misses, now.block_cache_misses);
  LookupTally here;
  if (looked_up_by_reads(hits, misses, times(f.compaction_read_bytes_per_second, s))) {
    here.hits.add(hits, s);
    here.misses.add(misses, s);
    const Value seeks = times(f.seeks_per_second, s);
    const Value reads = times(f.reads_per_second, s);
    if (reads || seeks) here.reads.add(reads.value_or(0) + seeks.value_or(0), s);
  }
  e.read_lookups.add(here);
  if (now.cache_capacity_bytes && (e.by_capacity.size() < kMostCapacities ||
                                   e.by_capacity.contains(*now.cache_capacity_bytes))) {
    CacheTally& tally = e.by_capacity[*now.cache_capacity_bytes];
    tally.reads.add(here);
    tally.fill.add(f.cache_fill_ratio, s);
  }
}

void EvidenceFold::add_gauges(const Features& f, const DatabaseReading& now) {
  Evidence& e = evidence_;
  const double s = f.interval_seconds;
  e.stopped.add(f.write_stopped ? std::optional(*f.write_stopped > 0) : std::nullopt, s);
  const bool delayed = f.delayed_bytes_per_second.has_value();
  e.delayed.add(now.delayed_write_rate ? std::optional(delayed) : std::nullopt, s);
  if (!delayed && f.write_stopped.value_or(0) == 0) {
    e.undelayed_user_bytes_per_second.add(f.user_write_bytes_per_second, s);
    e.undelayed_flushed_bytes_per_second.add(f.flush_bytes_per_second, s);
  }
  e.read_mean_us.add(f.read_mean_us, s);
  e.write_calls.add(grown(calls_of(last_->write_latency), calls_of(now.write_latency)), s);
  e.write_call_us.add(grown(time_us_of(last_->write_latency), time_us_of(now.write_latency)), s);
  e.write_p50_us.add(f.write_p50_us, s);
  e.reads_timed = e.reads_timed || f.read_p99_us.has_value();
  if (f.running_compactions) {
    const bool compacting = *f.running_compactions > kCompacting;
    (compacting ? e.read_p99_us_compacting : e.read_p99_us_quiet).add(f.read_p99_us, s);
    e.running_compactions.add(f.running_compactions, s);
    if (const Value slots = e.compaction_slots()) {
      e.slots_full.add(*f.running_compactions >= *slots, s);
    }
  }
  e.cache_usage.add(f.cache_usage_bytes, s);
  e.device_write_iops.add(f.device_write_iops, s);
  e.device_write_await_ms.add(f.device_write_await_ms, s);
  e.device_busy.add(f.device_busy_ratio, s);
  e.device_queue.add(f.device_queue, s);
  e.cpu_busy.add(cpu_use(f), s);
  e.cpu_pressure.add(f.cpu_pressure_ratio, s);
  e.process_cores.add(f.process_cpu_cores, s);
  e.memory_pressure.add(f.memory_pressure_ratio, s);
  e.memory_available.add(f.memory_available_bytes, s);
  if (f.cpus) e.cpus = f.cpus;
  if (f.memory_total_bytes) e.memory_total = f.memory_total_bytes;
  if (f.cache_capacity_bytes) e.cache_capacity = f.cache_capacity_bytes;
}

void EvidenceFold::add_limiter(const Features& f, const Sample& sample) {
  Evidence& e = evidence_;
  const double s = f.interval_seconds;
  const KnobReading* limiter = sample.knobs.find(knob::kRateLimit, "");
  if (limiter == nullptr) return;
  e.limiter_raised.add(is_raised(*limiter), s);
  e.last_limiter_rate = f.limiter_rate;
  if (!f.limiter_rate) return e.limiter_full.add(false, s);
  if (!f.limiter_use_ratio) return;
  e.limiter_full.add(*f.limiter_use_ratio >= kFullLimiter, s);
  e.limiter_rate.add(f.limiter_rate, s);
  e.limiter_passed.add(f.limiter_bytes_per_second, s);
}

void EvidenceFold::add_peak(const Features& f) {
  Evidence& e = evidence_;
  const double s = f.interval_seconds;
  window_seconds_ += s;
  window_user_bytes_ += times(f.user_write_bytes_per_second, s).value_or(0);
  window_flushed_bytes_ += times(f.flush_bytes_per_second, s).value_or(0);
  if (window_seconds_ < kPeakSeconds) return;
  if (f.user_write_bytes_per_second) {
    e.peak_user_bytes_per_second =
        larger(e.peak_user_bytes_per_second, window_user_bytes_ / window_seconds_);
  }
  if (f.flush_bytes_per_second) {
    e.peak_flushed_bytes_per_second =
        larger(e.peak_flushed_bytes_per_second, window_flushed_bytes_ / window_seconds_);
  }
  window_seconds_ = window_user_bytes_ = window_flushed_bytes_ = 0;
}

}  // namespace rocktune::advice
