// compaction_backlog: RocksDB delays or stops writes, because of L0, pending compaction bytes or
// memtables. What it says while writes stall is find_write_stall()'s.
#include <algorithm>

#include "model/assessment.h"
#include "model/probability.h"
#include "model/text.h"
#include "model/write_stall.h"

namespace rocktune {
namespace {

// Immutable memtables are few and come and go with each flush: their mean over this time tells
// whether flushing keeps up.
constexpr double kMemtableMeanSeconds = 5;

// The roll-out foresees with certainty enough for an alert this far ahead. Between 25 and 50 s it
// makes no difference that counts (docs/warning.md).
constexpr double kForecastSeconds = 35;
// The static rule speaks where L0 is this near its limit, the roll-out does not rule it out, and no
// stall has just ended: without these conditions it adds false alarms and finds nothing new.
constexpr double kNearLimit = 0.9;
constexpr double kNotRuledOut = 0.1;
constexpr double kQuietAfterStall = 25;

std::string when(const std::string& what, double eta) {
  if (eta < 0.5) return ": " + what + " may come at any moment";
  return ": " + what + " in about " + text::duration(eta);
}

Words outlook(const char* what, const std::optional<double>& eta) {
  if (!eta) return nullptr;
  return [what, eta = *eta] { return when(what, eta); };
}

void clear_on_change(Trend& trend, std::string& known, const std::string& family) {
  if (known != family) trend.clear();  // another column family is worst off now
  known = family;
}

// Delay comes at max - 1 immutables when more than three are allowed, else only the stop at max.
double memtable_limit(double max_write_buffers) {
  return max_write_buffers > 3 ? max_write_buffers - 1 : max_write_buffers;
}

}  // namespace

std::vector<Candidate> BacklogAssessor::candidates(const Features& f) const {
  const auto& forecast = forecast_.worst();
  auto known =
      strongest_first({{"l0_peak_files", forecast ? Value(forecast->peak_files) : std::nullopt,
                        forecast ? Value(forecast->slowdown_files) : std::nullopt},
                       {"l0_files", f.l0_files, f.l0_slowdown_files},
                       {"pending_bytes", f.pending_bytes, first_pending_limit(f)},
                       {"immutable_memtables", f.immutable_memtables, f.max_write_buffers},
                       {"stalled_ratio", f.stalled_ratio, kStalledRatio},
                       {"limiter_use_ratio", f.limiter_use_ratio, 1.0},
                       {"flush_bytes_per_second", f.flush_bytes_per_second},
                       {"running_compactions", f.running_compactions}});
  if (!known.empty()) return known;
  // Nothing but the stall itself was read.
  return strongest_first({{"write_stopped", f.write_stopped},
                          {"delayed_bytes_per_second", f.delayed_bytes_per_second}});
}

void BacklogAssessor::clear() {
  forecast_.clear();
  l0_.clear();
  pending_.clear();
  memtables_.clear();
}

void BacklogAssessor::add_l0(const Features& features, std::vector<Pressure>& out) {
  if (!features.l0_ratio || !features.l0_files || !features.l0_slowdown_files) return;
  clear_on_change(l0_, l0_family_, features.l0_column_family);
  l0_.add(features.at.tick, *features.l0_files);
  Pressure& pressure = out.emplace_back();
  pressure.cause = "l0";
  pressure.use = *features.l0_ratio;
  const std::optional<double> files_per_second = l0_.slope();
  std::optional<double> use_slope;
  if (files_per_second) use_slope = *files_per_second / *features.l0_slowdown_files;
  pressure.eta_seconds = time_to_limit(pressure.use, use_slope);
  if (const L0Forecast* forecast = l0_forecast()) {
    // Beyond kForecastSeconds the nearer forecast is the surer one.
    pressure.probabilities = {forecast->probabilities[0], forecast->probabilities[1],
                              forecast->probability};
    pressure.eta_seconds = forecast->eta_seconds;
  }
  pressure.sentence = [this, files = *features.l0_files, slowdown = *features.l0_slowdown_files,
                       files_per_second] { return l0_sentence(files, slowdown, files_per_second); };
  pressure.outlook = outlook("delayed writes", pressure.eta_seconds);
}

const L0Forecast* BacklogAssessor::l0_forecast() const {
  const auto& forecast = forecast_.worst();
  return forecast && forecast_.why_not_ready(l0_family_) == nullptr ? &*forecast : nullptr;
}

std::string BacklogAssessor::l0_sentence(double files, double slowdown_files,
                                         const std::optional<double>& files_per_second) const {
  std::string sentence = "L0 has " + text::amount(files) + " of " + text::amount(slowdown_files) +
                         " files" + text::in_family(l0_family_);
  if (files_per_second && *files_per_second > 0.005) {
    sentence += " and gains " + text::amount(*files_per_second) + "/s";
  }
  const L0Forecast* forecast = l0_forecast();
  if (!forecast || forecast->peak_files < kNearLimit * forecast->slowdown_files) return sentence;
  sentence += ", up to " + text::amount(forecast->peak_files) + " are foreseen";
  if (forecast->column_family != l0_family_) {
    sentence += text::in_family(std::string(forecast->column_family));
  }
  return sentence;
}

double BacklogAssessor::near_limit(const Features& features) const {
  const auto by_level = [](double use) {
    return use < kNearLimit ? 0 : crossing_probability(use, std::nullopt, 0);
  };
  const double by_pending = by_level(features.pending_ratio.value_or(0));
  const auto& forecast = forecast_.worst();
  if (!forecast || forecast->probability <= kNotRuledOut) return by_pending;
  const bool quiet = forecast_.quiet_seconds().value_or(kQuietAfterStall) >= kQuietAfterStall;
  return quiet ? std::max(by_pending, by_level(features.l0_ratio.value_or(0))) : by_pending;
}

void BacklogAssessor::add_pending(const Features& features, std::vector<Pressure>& out) {
  const Value limit = first_pending_limit(features);
  if (!features.pending_ratio || !features.pending_bytes || !limit) return;
  clear_on_change(pending_, pending_family_, features.pending_column_family);
  pending_.add(features.at.tick, *features.pending_bytes);
  const std::optional<double> slope = pending_.slope();
  std::optional<double> use_slope;
  if (slope) use_slope = *slope / *limit;
  const auto eta = time_to_limit(*features.pending_ratio, use_slope);
  const auto sentence = [this, bytes = *features.pending_bytes, limit = *limit, slope] {
    return text::bytes(bytes) + " of " + text::bytes(limit) + " wait for compaction" +
           text::in_family(pending_family_) +
           (slope && *slope > 1024 ? ", " + text::rate(*slope) + " more" : "");
  };
  out.push_back(
      {"pending_bytes", *features.pending_ratio, eta, sentence,
       outlook(limit == features.pending_soft_bytes ? "delayed writes" : "a write stop", eta),
       std::nullopt});
}

void BacklogAssessor::add_memtables(const Features& features, std::vector<Pressure>& out) {
  if (!features.immutable_memtables || !features.max_write_buffers) return;
  double limit = memtable_limit(*features.max_write_buffers);
  if (!(limit > 0)) return;
  clear_on_change(memtables_, memtable_family_, features.memtable_column_family);
  memtables_.add(features.at.tick, *features.immutable_memtables / limit);
  double mean = memtables_.mean(kMemtableMeanSeconds).value_or(0);
  // One full queue in one reading ends with the next flush; a mean near the limit does not.
  const auto eta = time_to_limit(mean, memtables_.slope());
  const auto sentence = [this, mean, limit] {
    return text::amount(mean * limit) + " of " + text::amount(limit) +
           " memtables wait for their flush on average" + text::in_family(memtable_family_);
  };
  out.push_back({"memtables", mean, eta, sentence, outlook("a write stop", eta), std::nullopt});
}

std::string BacklogAssessor::stop_outlook(const Features& features) const {
  if (features.write_stopped.value_or(0) > 0 || !features.delayed_bytes_per_second) return "";
  std::optional<double> soonest;
  auto consider = [&soonest](const Value& now, const Value& stop, const Trend& trend) {
    if (!now || !stop || !(*stop > 0)) return;
    std::optional<double> slope = trend.slope();
    if (slope) *slope /= *stop;
    std::optional<double> eta = time_to_limit(*now / *stop, slope);
    if (eta && (!soonest || *eta < *soonest)) soonest = eta;
  };
  consider(features.l0_files, features.l0_stop_files, l0_);
  consider(features.pending_bytes, features.pending_hard_bytes, pending_);
  return soonest ? when("a full stop", *soonest) : "";
}

Assessment BacklogAssessor::assess(const Features& features, const Objective& objective) {
  constexpr auto kKind = IndicatorKind::kCompactionBacklog;
  if (!features.fresh) {
    return unknown(kKind, "the agent was not read", objective.horizon_seconds);
  }
  if (features.missed_polls > kLongestGapPolls) clear();
  std::optional<WriteStall> stall = find_write_stall(features);
  forecast_.update(features, stall.has_value(), kForecastSeconds);
  std::vector<Pressure> pressures;
  pressures.reserve(3);
  add_l0(features, pressures);
  add_pending(features, pressures);
  add_memtables(features, pressures);
  if (pressures.empty() && !stall) {
    return unknown(kKind, "no column family's L0 files, pending bytes or memtables were read",
                   objective.horizon_seconds);
  }
  Assessment out = rocktune::assess(kKind, pressures, stall.has_value(), objective.horizon_seconds);
  out.least_probability = near_limit(features);
  if (stall) {
    out.indicator.cause = stall->cause;
    out.sentence = [sentence = stall->sentence] { return sentence; };
    out.outlook = [outlook = stop_outlook(features)] { return outlook; };
  }
  return out;
}

}  // namespace rocktune
