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
// Where a stall is this improbable, half a second (a poll) makes no difference that counts: it is
// looked at every other time.
constexpr double kFarProbability = 0.01;
constexpr double kFreshSeconds = 0.75;

// The normal distribution by the logistic one: off by less than 0.01.
double normal(double z) {
  constexpr double kSteepness = 1.702, kMost = 6;
  static const double lowest = 1 / (1 + std::exp(kSteepness * kMost));
  if (z <= -kMost) return lowest;  // most column families, at most times
  return 1 / (1 + std::exp(-kSteepness * std::min(z, kMost)));
}

// RocksDB keeps a quarter of its jobs for flushes (GetBGJobLimits in db/db_impl). As if compaction
// were under pressure always: without, it has one slot.
std::size_t compaction_slots(const Features& features) {
  const KnobReading* knob = features.knobs.find(knob::kBackgroundJobs, "");
  const std::int64_t jobs = knob != nullptr ? std::clamp<std::int64_t>(knob->value, 1, 1024) : 1;
  return static_cast<std::size_t>(
      std::max<std::int64_t>(1, jobs - std::max<std::int64_t>(1, jobs / 4)));
}

double peak_probability(double peak, double files_now, double slowdown, double error) {
  const double growth = std::clamp(peak - files_now, 0.0, kMostGrowth);
  return normal((peak - slowdown - kHalfStep) / (kFilesError + error * growth));
}

double new_probability(double wait, const std::optional<double>& quiet, double error) {
  if (!quiet) return 1;
  return normal((wait + *quiet - kEpisodeSeconds) / (kQuietError + error * wait));
}

void tell(const Rollout& rollout, L0Forecast& out) {
  out.eta_seconds = rollout.eta_seconds;
  out.files_now = rollout.files_now;
  out.peak_files = rollout.peaks[0];
  out.peaks = {rollout.peaks[1], rollout.peaks[2], rollout.peaks[3]};
  out.l0_compaction_begins_seconds = rollout.l0_begin_seconds;
  out.busy_ratio = rollout.busy_ratio;
}

}  // namespace

bool StallForecast::Outlook::is_worse_than(const Outlook& other) const {
  if (probability != other.probability) return probability > other.probability;
  return peak_ratio > other.peak_ratio;
}

void StallForecast::Family::forget() {
  flow = FamilyFlow();
  growth = ForeseenGrowth();
  looked = false;
}

void StallForecast::clear() {
  for (Family& family : families_) {
    family.present = false;
    family.forget();
  }
  last_.reset();
  last_stall_.reset();
  worst_.reset();
}

// They keep their order from one sample to the next: most often it is the one at `begin`.
StallForecast::Family* StallForecast::find(const std::string& name, std::size_t begin) {
  const std::size_t count = families_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Family& family = families_[(begin + i) % count];
    if (family.name == name) return &family;
  }
  return place(name);
}

StallForecast::Family* StallForecast::place(const std::string& name) {
  if (families_.size() < kMostFamilies) {
    families_.emplace_back().name = name;
    return &families_.back();
  }
  const auto gone = std::find_if(families_.begin(), families_.end(), [](const Family& family) {
    return !family.present && !family.seen;
  });
  if (gone == families_.end()) return nullptr;
  gone->name = name;
  return &*gone;
}

void StallForecast::follow(const Features& features) {
  for (Family& family : families_) family.seen = false;
  std::size_t next = 0;
  for (const ColumnFamilyReading& reading : features.column_families) {
    Family* const family = find(reading.name, next);
    if (family == nullptr || family->seen) continue;
    if (family->flow.update(reading, features.read_at)) {
      family->growth = ForeseenGrowth();
      family->looked = false;
    }
    family->seen = true;
    next = static_cast<std::size_t>(family - families_.data()) + 1;
  }
  for (Family& family : families_) {
    if (family.present && !family.seen) family.forget();
    family.present = family.seen;
  }
}

double StallForecast::probability(const FamilyFlow& flow, const Rollout& rollout, std::size_t peak,
                                  double within) const {
  const double error = flow.peak_error();
  return peak_probability(rollout.peaks.at(peak), rollout.files_now, flow.slowdown_files(), error) *
         new_probability(rollout.eta_seconds.value_or(within), quiet_seconds(), error);
}

Rollout StallForecast::expected(const Family& family, Rollout rollout, const Horizons& horizons) {
  const double share = family.growth.share();
  if (share == 1) return rollout;
  const double now = rollout.files_now, slowdown = family.flow.slowdown_files();
  double most = 0;
  for (std::size_t i = 0; i < horizons.size(); ++i) {
    double growth = rollout.peaks.at(i) - now;
    // It was followed no further, and goes on as it went until then.
    const auto& far = rollout.far_past_seconds;
    if (far && horizons.at(i) > *far) growth *= horizons.at(i) / *far;
    rollout.peaks.at(i) = std::min(now + share * growth, std::max(kFarPast * slowdown, now));
    most = std::max(most, rollout.peaks.at(i));
  }
  if (rollout.eta_seconds) *rollout.eta_seconds /= share;
  if (most < slowdown || rollout.eta_seconds > kRolloutSeconds) rollout.eta_seconds.reset();
  return rollout;
}

bool StallForecast::take_rates(const Features& features) {
  const KnobReading* knob = features.knobs.find(knob::kRateLimit, "");
  const std::int64_t limit = knob != nullptr ? knob->value : 0;
  const std::size_t slots = compaction_slots(features);
  const bool changed = limit != limit_ || slots != slots_;
  limit_ = limit;
  slots_ = slots;
  return changed;
}

bool StallForecast::needs_look(const Family& family) const {
  if (!family.looked || family.flow.wants_peak()) return true;
  return family.outlook.probability > kFarProbability ||
         seconds_between(family.looked_at, *last_) > kFreshSeconds;
}

// Enough to tell which one is the worst.
void StallForecast::look(Family& family, double horizon) const {
  const FamilyFlow::L0Rates rates = family.flow.l0_rates();
  double sum = 0, peak = 0;
  for (std::size_t i = 0; i < rates.count; ++i) {
    const FlowState state = family.flow.state(slots_, rates.values.at(i));
    constexpr double kCheck = ForeseenGrowth::kSeconds;
    Rollout rollout = glance(state, {horizon, kCheck}, family.flow.wants_peak());
    family.flow.remember(rollout);
    if (rates.learnt) family.growth.foresee(rollout.files_now, rollout.peaks[1]);
    rollout = expected(family, rollout, {horizon, kCheck, horizon, horizon});
    sum += probability(family.flow, rollout, 0, horizon);
    if (i == rates.count / 2) peak = rollout.peaks[0];
  }
  family.looked = true;
  family.looked_at = *last_;
  family.outlook = {static_cast<float>(sum / static_cast<double>(rates.count)),
                    static_cast<float>(peak / family.flow.slowdown_files())};
}

// Of several rates that may be, what is foreseen is that of the middle one; how probable a stall
// is, the mean.
L0Forecast StallForecast::forecast(const Family& family, double horizon) const {
  const FamilyFlow::L0Rates rates = family.flow.l0_rates();
  L0Forecast out;
  out.column_family = family.name;
  out.slowdown_files = family.flow.slowdown_files();
  for (std::size_t i = 0; i < rates.count; ++i) {
    const FlowState state = family.flow.state(slots_, rates.values.at(i));
    const Horizons horizons{horizon, 10, 30, 60};
    const Rollout rollout = expected(family, roll_out(state, horizons), horizons);
    const auto add = [&](double& mean, std::size_t peak, double within) {
      mean += probability(family.flow, rollout, peak, within) / static_cast<double>(rates.count);
    };
    add(out.probability, 0, horizon);
    add(out.probabilities[0], 1, 10);
    add(out.probabilities[1], 2, 30);
    add(out.probabilities[2], 3, 60);
    if (i == rates.count / 2) tell(rollout, out);
  }
  return out;
}

void StallForecast::update(const Features& features, bool stalled, double horizon_seconds) {
  worst_.reset();
  if (features.reset) clear();
  if (!features.fresh) return;
  const Nanoseconds now = features.read_at;
  const double passed = last_ ? seconds_between(*last_, now) : 0;
  if (!(passed >= 0) || passed > kLongestForecastGap) clear();
  last_ = now;
  if (stalled) last_stall_ = now;
  const bool other_rates = take_rates(features);
  follow(features);
  const double horizon = std::clamp(horizon_seconds, 1.0, kRolloutSeconds);
  const Family* worst = nullptr;
  for (Family& family : families_) {
    if (!family.present || family.flow.why_not_ready() != nullptr) continue;
    if (other_rates) family.growth = ForeseenGrowth();
    family.growth.see(passed, family.flow.files_now(), family.flow.slowdown_files());
    if (needs_look(family)) look(family, horizon);
    if (worst == nullptr || family.outlook.is_worse_than(worst->outlook)) worst = &family;
  }
  if (worst != nullptr) worst_ = forecast(*worst, horizon);
}

const char* StallForecast::why_not_ready(std::string_view column_family) const {
  const auto found = std::find_if(families_.begin(), families_.end(), [&](const Family& family) {
    return family.present && family.name == column_family;
  });
  return found == families_.end() ? "it is not known" : found->flow.why_not_ready();
}

std::optional<double> StallForecast::quiet_seconds() const {
  if (!last_stall_ || !last_) return std::nullopt;
  return seconds_between(*last_stall_, *last_);
}

}  // namespace rocktune
