// Trend's ring against a plain list of points, on random courses.
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "model/trend.h"
#include "tests/support/catch.h"

using namespace rocktune;

namespace {

constexpr std::size_t kMostPlainPoints = 512;

class PlainTrend {
 public:
  PlainTrend(Trend::Jumps jumps, double fall, double window)
      : jumps_(jumps), fall_(fall), window_(window) {}

  void add(Nanoseconds tick, double value) {
    const double spacing = std::min(window_, 60.0) / static_cast<double>(kMostPlainPoints);
    const bool too_soon =
        !points_.empty() &&
        (tick <= points_.back().tick || seconds_between(points_.back().tick, tick) < spacing);
    if (!std::isfinite(value) || too_soon) return;
    points_.push_back({tick, value});
    expire(tick);
    if (points_.size() > kMostPlainPoints) points_.erase(points_.begin());
  }
  void expire(Nanoseconds now) {
    std::erase_if(points_, [&](const Point& p) { return seconds_between(p.tick, now) > window_; });
  }
  void clear() { points_.clear(); }
  [[nodiscard]] std::size_t size() const { return points_.size(); }

  [[nodiscard]] std::vector<double> last(double seconds) const {
    std::vector<double> out;
    for (const Point& point : points_) {
      if (seconds_between(point.tick, points_.back().tick) <= seconds) out.push_back(point.value);
    }
    return out;
  }
  [[nodiscard]] std::optional<double> median(double seconds) const {
    std::vector<double> values = last(seconds);
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) / 2];
  }
  // The textbook's formula, of sums.
  [[nodiscard]] std::optional<double> slope() const {
    const auto n = static_cast<double>(points_.size());
    if (n < 6 || seconds_between(points_.front().tick, points_.back().tick) < 2) return {};
    const double limit = outlier_limit();
    double level = 0, t = 0, v = 0, tt = 0, tv = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double time = seconds_between(points_[0].tick, points_[i].tick);
      if (i > 0 && !is_jump(step(i), limit)) level += step(i);
      t += time;
      v += level;
      tt += time * time;
      tv += time * level;
    }
    return (n * tv - t * v) / (n * tt - t * t);
  }

 private:
  struct Point {
    Nanoseconds tick;
    double value;
  };
  [[nodiscard]] double step(std::size_t i) const { return points_[i].value - points_[i - 1].value; }
  [[nodiscard]] bool is_jump(double change, double limit) const {
    if (jumps_ == Trend::Jumps::kKeep) return false;
    return jumps_ == Trend::Jumps::kFalls ? change < -fall_ : std::abs(change) > limit;
  }
  [[nodiscard]] double outlier_limit() const {
    std::vector<double> sizes;
    for (std::size_t i = 1; i < points_.size(); ++i) {
      if (step(i) != 0) sizes.push_back(std::abs(step(i)));
    }
    if (sizes.size() < 2) return 0;
    std::sort(sizes.begin(), sizes.end());
    return 4 * sizes[static_cast<std::size_t>(0.8 * static_cast<double>(sizes.size() - 1))];
  }

  Trend::Jumps jumps_;
  double fall_, window_;
  std::vector<Point> points_;
};

void check_same(const Trend& trend, const PlainTrend& plain) {
  REQUIRE(trend.size() == plain.size());
  for (const double seconds : {0.0, 1.5, 5.0, 100.0}) {
    const std::vector<double> last = plain.last(seconds);
    REQUIRE(trend.median(seconds) == plain.median(seconds));
    REQUIRE(trend.largest(seconds).has_value() == !last.empty());
    if (last.empty()) continue;
    REQUIRE(*trend.largest(seconds) == *std::max_element(last.begin(), last.end()));
    double sum = 0;
    for (const double value : last) sum += value;
    REQUIRE(*trend.mean(seconds) == Approx(sum / static_cast<double>(last.size())).margin(1e-9));
  }
  const auto slope = plain.slope();
  REQUIRE(trend.slope().has_value() == slope.has_value());
  if (slope) REQUIRE(*trend.slope() == Approx(*slope).margin(1e-4));
}

}  // namespace

TEST_CASE("a ring of points tells what a list of them tells", "[trend]") {
  constexpr Trend::Jumps kKinds[] = {Trend::Jumps::kKeep, Trend::Jumps::kFalls,
                                     Trend::Jumps::kOutliers};
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<> share(0, 1);
    const Trend::Jumps kind = kKinds[seed % 3];
    const double window = seed % 4 == 0 ? 400 : 1 + 30 * share(random);
    const double step = 0.005 + share(random) / 3;
    Trend trend(kind, 2.5, window);
    PlainTrend plain(kind, 2.5, window);
    double time = 1000, value = 10;
    for (int i = 0; i < 1500; ++i) {
      const double luck = share(random);
      time += luck < 5e-4 ? 3600 : luck < 1e-3 ? -20 : luck < 2e-3 ? 0 : step * 2 * share(random);
      value += luck > 0.9 ? -8 * share(random) : share(random);
      const auto tick = Nanoseconds(static_cast<std::int64_t>(time * 1e9));
      const double given = luck > 0.995 ? std::nan("") : std::round(value * 4) / 4;
      if (luck > 0.3 && luck < 0.302) {
        trend.clear();
        plain.clear();
      }
      if (luck > 0.4 && luck < 0.41) {
        trend.expire(tick);
        plain.expire(tick);
      } else {
        trend.add(tick, given);
        plain.add(tick, given);
      }
      most = std::max(most, trend.size());
      if (i % 7 == 0) check_same(trend, plain);
    }
  }
  CHECK(most == 512);
}
