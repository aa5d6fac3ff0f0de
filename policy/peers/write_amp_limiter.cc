#include "policy/peers/write_amp_limiter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "model/text.h"
#include "model/trend.h"
#include "model/write_stall.h"
#include "policy/peers/common.h"
#include "policy/situation.h"

namespace rocktune::peers {
namespace {

// write_amp_based_rate_limiter.cc and .h, where no other source is named
constexpr double kWriteAmpTuneSeconds = 1;
// 300 and 30 ticks; a Trend's window has both of its ends in it.
constexpr double kFullSeconds = 299.5, kRecentSeconds = 29.5;
constexpr int kMostSamples = 300;                // of a gap: the longer window holds no more
constexpr double kLeastWriteAmpRate = 10 << 20;  // kMinBytesPerSec
constexpr double kLeastFlushes = 8 << 20;        // kHighBytesLower
constexpr double kLeastAmplification = 1;        // kRatioLower, in tenths
constexpr double kUsedUp = 0.995;
constexpr double kMostDelta = 6;        // percent
constexpr double kCriticalDelta = 150;  // percent
constexpr double kPaddingShare = 0.1, kPaddingArea = 577464606419583, kPaddingOffset = 26225305;
constexpr double kWriteAmpStart = 0.5;
// db/column_family.cc
constexpr double kCriticalL0 = 0.8, kCriticalPending = 0.5;

double padding_of(double rate) {
  return rate * kPaddingShare + kPaddingArea / (rate + kPaddingOffset);
}

// There it is a request of a compaction that tunes, a second after the last time at the earliest.
bool compaction_asks(const Features& f) {
  return f.compaction_write_bytes_per_second.value_or(0) > 0 ||
         f.running_compactions.value_or(0) > 0;
}

// Without a soft limit (0) whatever is pending is at half of it there.
bool is_critical_shape(const Features& f) {
  return writes_stall(f) || f.l0_ratio.value_or(0) >= kCriticalL0 ||
         f.pending_ratio.value_or(0) >= kCriticalPending || f.pending_soft_bytes == 0.0;
}

class WriteAmpLimiter : public Policy {
 public:
  explicit WriteAmpLimiter(const WriteAmpLimiterParams& params) : params_(params) {}

  [[nodiscard]] GuardScope guard_scope() const override { return GuardScope::kHardLimits; }

  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput& input) override {
    const Features& f = input.features;
    if (f.reset) *this = WriteAmpLimiter(params_);
    const KnobReading* limiter = changeable_knob(f, knob::kRateLimit);
    if (!f.fresh || limiter == nullptr) return {};
    const double most =
        largest_rate(params_.rate_limit_max_bytes_per_second, *limiter, input.objective);
    if (limiter->value == asked_) reached_ = asked_;
    std::vector<Proposal> settings, out;
    if (auto change = tune(f, *limiter, most)) {
      asked_ = change->to;
      out.push_back(*std::move(change));
    } else if (untouched(*limiter) && limiter->value != reached_) {
      auto start = turn(f, limiter, std::floor(most * kWriteAmpStart),
                        {"write_amp.start", "it starts at half of " + text::rate(most),
                         "limiter_use_ratio", false});
      if (start) settings.push_back(*std::move(start));
    }
    serve_as(f, {false, 1, "write_amp.alike"}, settings);
    settings_.ask(std::move(settings), f.at.tick, out);
    return out;
  }

 private:
  std::optional<Proposal> tune(const Features& f, const KnobReading& limiter, double most) {
    compacting_.add(f, f.compaction_write_bytes_per_second);
    flushing_.add(f, f.flush_bytes_per_second);
    critical_ = critical_ || is_critical_shape(f);
    const int ticks = compaction_asks(f) ? tick_.due(f.at.tick) : 0;
    if (ticks == 0) return std::nullopt;
    const int seconds = std::clamp(static_cast<int>(std::lround(compacting_.seconds())), 1, ticks);
    const Value compacted = compacting_.take(kWriteAmpTuneSeconds / 2);
    const Value flushed = flushing_.take(kWriteAmpTuneSeconds / 2);
    if (!compacted || !flushed) return std::nullopt;
    add_samples(f.at.tick, seconds, *compacted, *flushed, limiter);
    const double recent_flushes = flushed_.mean(kRecentSeconds).value_or(0);
    const bool critical = std::exchange(critical_, false);
    double rate = needed(recent_flushes);
    const double padding = padding_of(rate * params_.scale) / params_.scale;
    adjust_delta(critical);
    rate += padding + rate * delta_ / 100;
    rate = std::max(kLeastWriteAmpRate / params_.scale, std::min(rate, most - recent_flushes));
    // There flushes are not limited at all: ours have to find room above what compactions get.
    const double to = std::floor(rate + std::max(recent_flushes, *flushed));
    const bool up = to > static_cast<double>(limiter.value);
    return turn(f, &limiter, to,
                {critical ? "write_amp.pace_up" : "write_amp.follow",
                 "compactions write " + text::rate(*compacted) + " and flushes " +
                     text::rate(recent_flushes) + "; " + text::number(delta_, 0) + "% on top",
                 up ? "l0_ratio" : "read_p99_us"});
  }

  // One for each second since the last tick, those in which no compaction asked among them: the
  // mean of them all.
  void add_samples(Nanoseconds now, int seconds, double compacted, double flushed,
                   const KnobReading& limiter) {
    const bool limited = limiter.value < kUnlimitedBytesPerSecond;
    const double limit = std::max(static_cast<double>(limiter.value) - flushed, 1.0);
    for (int ago = std::min(seconds, kMostSamples) - 1; ago >= 0; --ago) {
      const Nanoseconds at = now - std::chrono::seconds(ago);
      compacted_.add(at, compacted);
      flushed_.add(at, flushed);
      if (limited) limits_.add(at, limit);
    }
  }

  [[nodiscard]] double needed(double recent_flushes) const {
    const double least = kLeastFlushes / params_.scale;
    const double written = compacted_.mean(kFullSeconds).value_or(0);
    const double flushed = flushed_.mean(kFullSeconds).value_or(0);
    // In tenths, as there.
    const double tenths = std::floor(written * 10 / std::max(flushed, least));
    const double amplification = std::max(kLeastAmplification, tenths / 10);
    return std::max(written, amplification * std::max(recent_flushes, least));
  }

  void adjust_delta(bool critical) {
    const Value used = compacted_.mean(kRecentSeconds), limit = limits_.mean(kRecentSeconds);
    const bool used_up = used && limit && *used >= kUsedUp * *limit;
    if (used_up && delta_ < kMostDelta) {
      ++delta_;
    } else if (!used_up && delta_ > 0) {
      --delta_;
    }
    if (critical) delta_ = kCriticalDelta;
  }

  WriteAmpLimiterParams params_;
  Tick tick_{kWriteAmpTuneSeconds};
  Settings settings_{kWriteAmpTuneSeconds};
  MeanRate compacting_, flushing_;  // since the last tick
  Trend compacted_{Trend::Jumps::kKeep, 0, kFullSeconds};
  Trend flushed_{Trend::Jumps::kKeep, 0, kFullSeconds};
  Trend limits_{Trend::Jumps::kKeep, 0, kRecentSeconds};  // of compactions
  double delta_ = 0;                                      // percent
  bool critical_ = false;                                 // since the last tick
  // Of it last: the limit as found may be where it went by itself, which is no new start.
  std::optional<std::int64_t> asked_, reached_;
};

}  // namespace

std::unique_ptr<Policy> make_write_amp_limiter(const WriteAmpLimiterParams& params) {
  return std::make_unique<WriteAmpLimiter>(params);
}

}  // namespace rocktune::peers
