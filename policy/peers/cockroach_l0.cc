#include "policy/peers/cockroach_l0.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/text.h"
#include "policy/peers/common.h"

namespace rocktune::peers {
namespace {

// io_load_listener.go
constexpr double kIntervalSeconds = 15;  // adjustmentInterval
constexpr double kSmoothing = 0.5;
constexpr double kLowLoad = 0.5, kMediumLoad = 1, kOverloaded = 2;  // scores

struct Level0 {
  double bytes = 0;       // of all column families
  double files = 0;       // of the one that has most
  double out_levels = 1;  // ...from which compactions move bytes: level 0 and those with data
};

// numOutLevelsGauge: all levels from the first below 0 that has data on; the last one where none
// has.
double out_levels_of(const std::vector<LevelReading>& levels) {
  const auto base = std::find_if(levels.begin() + 1, levels.end(),
                                 [](const LevelReading& level) { return level.bytes > 0; });
  return std::max(1.0, static_cast<double>(levels.end() - base));
}

// Absent when some column family's levels were not read.
std::optional<Level0> level0_of(const Features& f) {
  if (f.column_families.empty()) return std::nullopt;
  Level0 out;
  for (const ColumnFamilyReading& family : f.column_families) {
    if (family.levels.empty()) return std::nullopt;
    out.bytes += static_cast<double>(family.levels.front().bytes);
    const auto files = static_cast<double>(family.levels.front().files);
    if (files >= out.files) out.out_levels = out_levels_of(family.levels);
    out.files = std::max(out.files, files);
  }
  return out;
}

double smoothed(double now, const Value& before) {
  return before ? kSmoothing * now + (1 - kSmoothing) * *before : now;
}

// What a score from 0.5 on admits, of C.
double admitted_share(double score) {
  if (score >= kOverloaded) return 0.5;
  if (score >= kMediumLoad) return (3 - score) / 2;
  return 3 - 2 * score;
}

class CockroachL0 : public Policy {
 public:
  explicit CockroachL0(const CockroachL0Params& params) : params_(params) {}

  [[nodiscard]] GuardScope guard_scope() const override { return GuardScope::kHardLimits; }

  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput& input) override {
    const Features& f = input.features;
    if (f.reset) *this = CockroachL0(params_);
    if (!f.fresh) return {};
    flushing_.add(f, f.flush_bytes_per_second);
    compacting_.add(f, f.compaction_write_bytes_per_second);
    const bool began = tick_.began();
    const int ticks = tick_.due(f.at.tick);
    if (began && ticks == 0) return {};
    const auto level0 = level0_of(f);
    const Value flushed = flushing_.take(began ? kIntervalSeconds / 2 : 0);
    const Value written = compacting_.take(began ? kIntervalSeconds / 2 : 0);
    const std::optional<Level0> before = std::exchange(before_, level0);
    if (!level0 || !before || !flushed || !began) return {};
    const double left = before->bytes + *flushed * kIntervalSeconds * ticks - level0->bytes;
    // computeL0CompactionTokensLowerBound: an even part of what all compactions write.
    const double part = written.value_or(0) * kIntervalSeconds / level0->out_levels;
    adjust(level0->files, std::max(0.0, left) / ticks, part);
    return apply(f, level0->files);
  }

 private:
  [[nodiscard]] double score(double files) const { return 2 * files / params_.l0_threshold_files; }

  // `compacted`: bytes that left level 0, per interval; `least`: what is admitted at low load, even
  // if compactions are busy elsewhere.
  void adjust(double files, double compacted, double least) {
    compacted_ = smoothed(compacted, compacted_);
    const double level = score(files);
    limits_ = level >= kLowLoad;
    double admitted = limits_ ? admitted_share(level) * *compacted_ : compacted;
    if (limits_ && level < kMediumLoad) admitted = std::max(admitted, least);
    tokens_ = smoothed(admitted, tokens_);
  }

  [[nodiscard]] std::vector<Proposal> apply(const Features& f, double files) const {
    const double admitted = tokens_.value_or(0) / kIntervalSeconds;
    const std::string state = "level 0 has " + text::amount(files) + " files of " +
                              text::amount(params_.l0_threshold_files);
    std::vector<Proposal> out;
    for (const KnobReading& reading : f.knobs) {
      const bool rate = reading.name == knob::kDelayedWriteRate;
      if (!reading.changeable || (!rate && reading.name != knob::kL0Slowdown)) continue;
      // What never was changed is left alone while all is admitted.
      auto to = static_cast<double>(reading.found);
      Turn why{"cockroach.unlimited", state + ": all is admitted", "stalled_ratio"};
      if (limits_) {
        to = rate ? std::floor(admitted)
                  : std::min(to, std::floor(params_.l0_threshold_files * kLowLoad / 2));
        why = {rate ? "cockroach.tokens" : "cockroach.trigger",
               state + ": " + text::rate(admitted) + " are admitted", "l0_ratio"};
      }
      if (auto change = turn(f, &reading, to, why)) out.push_back(*std::move(change));
    }
    return out;
  }

  CockroachL0Params params_;
  Tick tick_{kIntervalSeconds};
  MeanRate flushing_, compacting_;  // since the last tick
  std::optional<Level0> before_;
  Value compacted_, tokens_;  // bytes in an interval, smoothed
  bool limits_ = false;
};

}  // namespace

std::unique_ptr<Policy> make_cockroach_l0(const CockroachL0Params& params) {
  return std::make_unique<CockroachL0>(params);
}

}  // namespace rocktune::peers
