#include "policy/slo_watch.h"

#include <algorithm>
#include <vector>

#include "model/text.h"
#include "policy/memory.h"
#include "policy/outcomes.h"

namespace rocktune {
namespace {

constexpr double kBeforeSeconds = 10;      // what outcomes take as the load before, too
constexpr double kLongestBefore = 60;      // ...and where polls are far apart
constexpr std::size_t kMostBefore = 2048;  // polls are 10 ms apart at the least
constexpr std::size_t kLeastPoints = 5;
constexpr int kLeastSeen = 5, kLeastSlowSeen = 2;
constexpr double kLeastSeenSeconds = 5;  // of those that are far apart
constexpr double kBrokenShare = 0.75;    // of the samples: what stands at its limit is not broken

}  // namespace

Value SloWatch::p99(const Features& features) const {
  const Value rate = rate_(features);
  const bool few = rate && *rate < kLeastOperationsPerSecond;
  return few ? std::nullopt : features.*p99_us_;
}

void SloWatch::observe(const Features& features) {
  const Nanoseconds now = features.at.tick;
  const Value p99_us = p99(features);
  if (p99_us) recent_.push_back({now, *p99_us});
  // Where polls are far apart as many as are needed count, and no more.
  const bool far_apart = features.interval_seconds * kLeastPoints > kBeforeSeconds;
  const double longest = far_apart ? kLongestBefore : kBeforeSeconds;
  const std::size_t most = far_apart ? kLeastPoints : kMostBefore;
  while (!recent_.empty() &&
         (seconds_between(recent_.front().tick, now) > longest || recent_.size() > most)) {
    recent_.pop_front();
  }
}

SloWatch::Watched SloWatch::begin() const {
  Watched watched;
  if (recent_.size() < kLeastPoints) return watched;
  std::vector<double> values;
  values.reserve(recent_.size());
  for (const Point& point : recent_) values.push_back(point.p99_us);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (*middle > limit_) return watched;
  watched.before = *middle;
  // Just below the limit and just above it are the same latency.
  watched.threshold = std::max(limit_, *middle + Outcomes::tolerance(name_, *middle));
  return watched;
}

void SloWatch::count(Watched& watched, const Features& features) const {
  const Value p99_us = p99(features);
  if (!watched.before || !p99_us) return;
  ++watched.seen;
  watched.seconds += features.interval_seconds;
  if (*p99_us <= watched.threshold) return;
  ++watched.over;
  watched.worst_us = std::max(watched.worst_us, *p99_us);
}

std::optional<SloWatch::Broken> SloWatch::broken(const Watched& watched) const {
  const bool often = watched.over >= kBrokenShare * watched.seen;
  const bool enough = watched.seen >= kLeastSeen ||
                      (watched.seen >= kLeastSlowSeen && watched.seconds >= kLeastSeenSeconds);
  if (!watched.before || !enough || !often) return std::nullopt;
  return Broken{name_ + " was " + text::microseconds(*watched.before) +
                    " and kept its objective of " + text::microseconds(limit_) +
                    "; since then it is above in " + std::to_string(watched.over) + " of " +
                    std::to_string(watched.seen) + " samples",
                name_, watched.worst_us, limit_};
}

}  // namespace rocktune
