#include "model/stall_forecast.h"

#include <algorithm>
#include <cmath>

#include "model/knobs.h"

namespace rocktune {
namespace {

constexpr double kLongestForecastGap = 10;
// A stall within this time of the last one is the same episode (docs/score.md).
constexpr double kEpisodeSeconds = 30;
// Standard errors where nothing is left to grow, or to wait for. Chosen; 0.1 to 0.2 files make no
// difference that counts.
constexpr double kFilesError = 0.1;
constexpr double kQuietError = 0.7;
// Peaks are read off a grid of quarters of a file: half of one.
constexpr double kHalfStep = 0.125;
constexpr double kMostGrowth = 25;

// The normal distribution by the logistic one: off by less than 0.01.
double normal(double z) {
  return 1 / (1 + std::exp(-1.702 * std::clamp(z, -6.0, 6.0)));
}

// RocksDB keeps a quarter of its jobs for flushes (GetBGJobLimits in db/db_impl). As if compaction
// were under pressure always: without, it has one slot.
std::size_t compaction_slots(const Features& features) {
  for (const KnobReading& knob : features.knobs) {
    if (knob.name != knob::kBackgroundJobs) continue;
    const std::int64_t jobs = std::clamp<std::int64_t>(knob.value, 1, 1024);
    return static_cast<std::size_t>(
        std::max<std::int64_t>(1, jobs - std::max<std::int64_t>(1, jobs / 4)));
  }
  return 1;
}

double peak_probability(double peak, double files_now, double slowdown, double error) {
  const double growth = std::clamp(peak - files_now, 0.0, kMostGrowth);
  return normal((peak - slowdown - kHalfStep) / (kFilesError + error * growth));
}

double new_probability(double wait, const std::optional<double>& quiet, double error) {
  if (!quiet) return 1;
  return normal((wait + *quiet - kEpisodeSeconds) / (kQuietError + error * wait));
}

}  // namespace

void StallForecast::clear() {
  families_.clear();
  last_.reset();
  last_stall_.reset();
  worst_.reset();
}

StallForecast::Family* StallForecast::find(const std::string& name, std::size_t position) {
  // They keep their places from one sample to the next.
  if (position < families_.size() && families_[position].name == name) return &families_[position];
  const auto found = std::find_if(families_.begin(), families_.end(),
                                  [&](const Family& family) { return family.name == name; });
  if (found != families_.end()) return &*found;
  if (families_.size() >= kMostFamilies) return nullptr;
  families_.push_back({name, FamilyFlow(), false});
  return &families_.back();
}

void StallForecast::follow(const Features& features) {
  for (Family& family : families_) family.seen = false;
  for (std::size_t i = 0; i < features.column_families.size(); ++i) {
    const ColumnFamilyReading& reading = features.column_families[i];
    Family* const family = find(reading.name, i);
    if (family == nullptr || family->seen) continue;
    family->flow.update(reading, features.read_at);
    family->seen = true;
  }
  std::erase_if(families_, [](const Family& family) { return !family.seen; });
}

L0Forecast StallForecast::forecast(Family& family, std::size_t slots, double horizon) const {
  const Rollout rollout = roll_out(family.flow.state(slots), {horizon, 10, 30, 60});
  family.flow.remember(rollout);
  const double error = family.flow.peak_error();
  const double slowdown = family.flow.slowdown_files();
  const auto quiet = quiet_seconds();
  const auto probability = [&](double peak, double within) {
    return peak_probability(peak, rollout.files_now, slowdown, error) *
           new_probability(rollout.eta_seconds.value_or(within), quiet, error);
  };
  L0Forecast out;
  out.column_family = family.name;
  out.probability = probability(rollout.peaks[0], horizon);
  out.probabilities = {probability(rollout.peaks[1], 10), probability(rollout.peaks[2], 30),
                       probability(rollout.peaks[3], 60)};
  out.eta_seconds = rollout.eta_seconds;
  out.files_now = rollout.files_now;
  out.peak_files = rollout.peaks[0];
  out.peaks = {rollout.peaks[1], rollout.peaks[2], rollout.peaks[3]};
  out.slowdown_files = slowdown;
  out.l0_compaction_begins_seconds = rollout.l0_begin_seconds;
  out.busy_ratio = rollout.busy_ratio;
  return out;
}

void StallForecast::update(const Features& features, bool stalled, double horizon_seconds) {
  worst_.reset();
  if (features.reset) clear();
  if (!features.fresh) return;
  const Nanoseconds now = features.read_at;
  if (last_) {
    const double passed = seconds_between(*last_, now);
    if (!(passed >= 0) || passed > kLongestForecastGap) clear();
  }
  last_ = now;
  if (stalled) last_stall_ = now;
  follow(features);
  const std::size_t slots = compaction_slots(features);
  const double horizon = std::clamp(horizon_seconds, 1.0, kRolloutSeconds);
  for (Family& family : families_) {
    if (family.flow.why_not_ready() != nullptr) continue;
    const L0Forecast one = forecast(family, slots, horizon);
    const auto rank = [](const L0Forecast& f) {
      return std::pair(f.probability, f.peak_files / f.slowdown_files);
    };
    if (!worst_ || rank(one) > rank(*worst_)) worst_ = one;
  }
}

const char* StallForecast::why_not_ready(std::string_view column_family) const {
  const auto found = std::find_if(families_.begin(), families_.end(), [&](const Family& family) {
    return family.name == column_family;
  });
  return found == families_.end() ? "it is not known" : found->flow.why_not_ready();
}

std::optional<double> StallForecast::quiet_seconds() const {
  if (!last_stall_ || !last_) return std::nullopt;
  return seconds_between(*last_stall_, *last_);
}

}  // namespace rocktune
