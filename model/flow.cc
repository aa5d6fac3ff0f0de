#include "model/flow.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace rocktune {
namespace {

// The weight of one new value. Tried on 24 recorded runs: 0.1 to 0.6 make no difference that
// counts.
constexpr double kWeight = 0.3;
constexpr double kShortestInterval = 0.02;  // s between flushes
constexpr double kSoonestFlush = 0.05;      // s from now, where one is overdue
constexpr double kSoonestEnd = 0.3;         // s from now, of a job
// Shorter jobs have moved files or found hardly any: they tell no rate.
constexpr double kShortestJob = 0.05;  // s
constexpr double kFewestJobFiles = 3;  // of L0
// Until a job was seen, bytes/s: from a slow disk's to more than what one thread merges in memory
// (470 MB/s under db_bench, docs/warning.md).
constexpr std::array<float, 4> kUnknownRates = {1e8F, 2e8F, 4e8F, 8e8F};
// A job that lasts so many times as long as a rate says is read at a lower one.
constexpr float kTooLong = 1.5F;
constexpr double kFilesPerDeepJob = 3;  // one, and the two or so of the next level that it overlaps
// The error of a peak's forecast, as a share of the growth: at first (measured: 0.4 files of 11),
// and within which it is used.
constexpr double kFirstError = 0.05, kLeastError = 0.02, kMostError = 0.3;
constexpr double kErrorWeight = 0.2;
// A peak that comes sooner teaches nothing, and one near the limit was slowed down by it.
constexpr double kShortestForecast = 5;  // s
constexpr double kLeastGrowth = 2;       // files, to measure an error against

// What is beyond was not measured, and would not be finite where it is kept.
constexpr double kLargest = 1e30;

// As if the same value came `count` times.
void learn(std::optional<float>& mean, double value, std::uint64_t count) {
  if (!(value <= kLargest)) return;
  const double kept =
      std::pow(1 - kWeight, static_cast<double>(std::min<std::uint64_t>(count, 64)));
  mean = static_cast<float>(mean ? *mean + (1 - kept) * (value - *mean) : value);
}

// A job that is overdue has turned out slower than usual: as long again as it is overdue.
double seconds_left(double expected, double age) {
  return std::max(kSoonestEnd, std::abs(expected - age));
}

double number(const Counter& counter) {
  return static_cast<double>(counter.value_or(0));
}

// Counters are below 2 to the 64th: always finite.
float narrow(const Counter& counter) {
  return static_cast<float>(counter.value_or(0));
}

float narrow_seconds(const Counter& milliseconds) {
  return static_cast<float>(number(milliseconds) / 1000);
}

bool above_zero(const Counter& counter) {
  return counter.value_or(0) > 0;
}

}  // namespace

FamilyFlow::FamilyFlow() : error2_(static_cast<float>(kFirstError * kFirstError)) {}

bool FamilyFlow::Counts::is_before(const Counts& later) const {
  return flushes <= later.flushes && l0 <= later.l0 && l0_ms <= later.l0_ms &&
         l0_bytes <= later.l0_bytes && deep <= later.deep && deep_ms <= later.deep_ms;
}

const char* FamilyFlow::missing(const ColumnFamilyReading& r) {
  if (!r.leveled_compaction || !r.dynamic_level_bytes) return "its compaction style is not known";
  if (*r.leveled_compaction == 0) return "its compaction is not leveled";
  const bool limits = above_zero(r.level0_slowdown_trigger) &&
                      above_zero(r.level0_compaction_trigger) && above_zero(r.target_file_bytes) &&
                      above_zero(r.max_bytes_for_level_base_bytes);
  if (!limits) return "its limits are not known";
  if (r.levels.size() < 2) return "its levels are not known";
  if (r.levels.size() > kMostFlowLevels) return "it has more levels than a forecast follows";
  const bool jobs = r.flushes && r.l0_compactions && r.l0_compactions_ms &&
                    r.l0_compactions_input_bytes && r.deep_compactions && r.deep_compactions_ms &&
                    r.l0_compaction_input_files && r.l0_compaction_input_bytes &&
                    r.l0_compaction_age_ms && r.deep_compaction_level && r.deep_compaction_age_ms;
  return jobs ? nullptr : "nothing tells of its flushes and compactions";
}

FamilyFlow::Counts FamilyFlow::counts_of(const ColumnFamilyReading& r) {
  return {*r.flushes,           *r.l0_compactions,
          *r.l0_compactions_ms, *r.l0_compactions_input_bytes,
          *r.deep_compactions,  *r.deep_compactions_ms};
}

void FamilyFlow::take_limits(const ColumnFamilyReading& r) {
  shape_.max_bytes_for_level_base = *r.max_bytes_for_level_base_bytes;
  shape_.max_bytes_for_level_multiplier =
      above_zero(r.max_bytes_for_level_multiplier) ? number(r.max_bytes_for_level_multiplier) : 10;
  shape_.level0_compaction_trigger = *r.level0_compaction_trigger;
  shape_.dynamic_level_bytes = *r.dynamic_level_bytes != 0;
  slowdown_ = narrow(r.level0_slowdown_trigger);
  file_bytes_ = narrow(r.target_file_bytes);
}

void FamilyFlow::take_levels(const ColumnFamilyReading& r) {
  levels_ = static_cast<std::uint8_t>(r.levels.size());
  std::transform(r.levels.begin(), r.levels.end(), bytes_.begin(),
                 [](const LevelReading& level) { return narrow(level.bytes); });
  l0_files_ = narrow(r.levels[0].files);
  if (l0_files_ > 0 && bytes_[0] > 0) flush_bytes_ = bytes_[0] / l0_files_;
}

void FamilyFlow::take_jobs(const ColumnFamilyReading& r) {
  l0_job_files_ = narrow(r.l0_compaction_input_files);
  l0_job_bytes_ = narrow(r.l0_compaction_input_bytes);
  l0_job_age_ = narrow_seconds(r.l0_compaction_age_ms);
  deep_job_level_ =
      static_cast<std::uint8_t>(std::min<std::uint64_t>(*r.deep_compaction_level, kMostFlowLevels));
  deep_job_age_ = narrow_seconds(r.deep_compaction_age_ms);
}

bool FamilyFlow::update(const ColumnFamilyReading& reading, Nanoseconds tick) {
  const char* const why = missing(reading);
  if (why != nullptr) *this = FamilyFlow();
  why_ = why;
  if (why != nullptr) return true;
  const Counts counts = counts_of(reading);
  const bool backwards = seen_ && !counts_.is_before(counts);
  if (backwards) {
    *this = FamilyFlow();
    why_ = nullptr;
  }
  tick_ = tick;
  // A job that both began and ended since then is not known by its files.
  const double removed = seen_ && counts.l0 > counts_.l0 ? l0_job_files_ : 0;
  take_limits(reading);
  take_levels(reading);
  if (seen_) {
    learn_l0(counts);
    learn_deep(counts);
  }
  learn_flushes(reading, counts, removed);
  if (seen_ && counts.l0 > counts_.l0) learn_peak_error(removed);
  take_jobs(reading);
  counts_ = counts;
  files_before_ = static_cast<float>(files_now());
  seen_ = true;
  return backwards;
}

// The time from one flush to the next tells how fast writers fill memtables only where L0 did not
// slow them down.
void FamilyFlow::learn_flushes(const ColumnFamilyReading& r, const Counts& counts, double removed) {
  if (!r.last_flush_age_ms) {
    last_flush_ = kNoFlush;
    return;
  }
  const std::uint64_t most_age = static_cast<std::uint64_t>(1) << 40;  // ms: no overflow below
  const Nanoseconds last =
      tick_ - std::chrono::milliseconds(std::min(*r.last_flush_age_ms, most_age));
  const std::uint64_t count = counts.flushes - counts_.flushes;
  if (seen_ && count == 0) return;
  if (seen_ && last_flush_ != kNoFlush && clean_) {
    const double seconds = seconds_between(last_flush_, last) / static_cast<double>(count);
    if (seconds > 0) learn(flush_interval_, std::max(seconds, kShortestInterval), count);
  }
  last_flush_ = last;
  clean_ = l0_files_ + removed < slowdown_;
}

void FamilyFlow::learn_l0(const Counts& counts) {
  const std::uint64_t count = counts.l0 - counts_.l0;
  const double seconds = static_cast<double>(counts.l0_ms - counts_.l0_ms) / 1000;
  const auto bytes = static_cast<double>(counts.l0_bytes - counts_.l0_bytes);
  if (count == 0 || !(bytes > 0) || seconds < kShortestJob * static_cast<double>(count)) return;
  const bool small = count == 1 && l0_job_files_ > 0 && l0_job_files_ < kFewestJobFiles;
  if (!small) learn(l0_rate_, bytes / seconds, count);
}

void FamilyFlow::learn_deep(const Counts& counts) {
  const std::uint64_t count = counts.deep - counts_.deep;
  if (count == 0) return;
  const double seconds = static_cast<double>(counts.deep_ms - counts_.deep_ms) / 1000;
  learn(deep_seconds_, seconds / static_cast<double>(count), count);
}

// The job ended between two readings: L0 was between what it was at the one, and at the other with
// the files that went.
void FamilyFlow::learn_peak_error(double removed) {
  const PeakForecast forecast = std::exchange(forecast_, {});
  if (forecast.files == 0 || !(removed > 0)) return;
  const double peak = (files_before_ + files_now() + removed) / 2;
  if (peak >= slowdown_ + 1) return;
  const double growth = std::max(kLeastGrowth, peak - forecast.files_then);
  const double error = (peak - forecast.files) / growth;
  const double squared = std::min(error * error, kMostError * kMostError);
  error2_ += static_cast<float>(kErrorWeight * (squared - error2_));
}

double FamilyFlow::silent_seconds() const {
  return last_flush_ == kNoFlush ? 0 : std::max(0.0, seconds_between(last_flush_, tick_));
}

// No flush for twice the interval: writers have become slower, or have stopped.
double FamilyFlow::flush_interval() const {
  const double usual = flush_interval_.value_or(1.0F);
  return std::max(usual, silent_seconds() - usual);
}

double FamilyFlow::files_now() const {
  if (!flush_interval_) return l0_files_;
  return l0_files_ + std::min(1.0, silent_seconds() / flush_interval());
}

const char* FamilyFlow::why_not_ready() const {
  if (why_ != nullptr) return why_;
  if (!flush_interval_ || last_flush_ == kNoFlush) return "it has not flushed often enough yet";
  return flush_bytes_ > 0 ? nullptr : "the size of its flushes is not known yet";
}

FamilyFlow::L0Rates FamilyFlow::l0_rates() const {
  if (l0_rate_) return {{*l0_rate_}, 1, true};
  L0Rates rates;
  for (const float rate : kUnknownRates) {
    const bool over = l0_job_files_ > 0 && l0_job_age_ * rate > kTooLong * l0_job_bytes_;
    if (rates.count == 0 || !over) rates.values.at(rates.count++) = rate;
  }
  return rates;
}

FlowState FamilyFlow::state(std::size_t slots, double l0_rate) const {
  FlowState state;
  state.l0_files = l0_files_;
  state.l0_trigger = static_cast<double>(shape_.level0_compaction_trigger);
  state.l0_slowdown = slowdown_;
  state.flush_interval_seconds = flush_interval();
  state.next_flush_seconds = std::max(kSoonestFlush, flush_interval() - silent_seconds());
  state.flush_bytes = flush_bytes_;
  state.l0_bytes_per_second = l0_rate;
  state.deep_job_seconds = deep_seconds_
                               ? static_cast<double>(*deep_seconds_)
                               : kFilesPerDeepJob * file_bytes_ / state.l0_bytes_per_second;
  state.file_bytes = file_bytes_;
  state.l1_base_bytes = static_cast<double>(shape_.max_bytes_for_level_base);
  state.levels = levels_;
  std::copy_n(bytes_.begin(), levels_, state.level_bytes.begin());
  state.base_level = level_targets(shape_, std::span(state.level_bytes).first(levels_),
                                   std::span(state.level_targets).first(levels_));
  state.slots = std::max<std::size_t>(slots, 1);
  if (l0_job_files_ > 0) {
    const double expected = l0_job_bytes_ / state.l0_bytes_per_second;
    state.l0_job = {seconds_left(expected, l0_job_age_), l0_job_files_};
  }
  if (deep_job_level_ > 0) {
    state.deep_job = {seconds_left(state.deep_job_seconds, deep_job_age_), deep_job_level_};
  }
  return state;
}

void FamilyFlow::remember(const Rollout& rollout) {
  if (!l0_rate_ || forecast_.files > 0 || !rollout.first_end_seconds) return;
  // One is kept until it is judged; one that is too near to teach is kept too, and judged not.
  if (*rollout.first_end_seconds <= kShortestForecast) return;
  forecast_ = PeakForecast{static_cast<float>(rollout.first_end_files), l0_files_};
}

double FamilyFlow::peak_error() const {
  return std::clamp<double>(std::sqrt(error2_), kLeastError, kMostError);
}

}  // namespace rocktune
