#include "tools/report/time_bins.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rocktune::tools {

std::size_t TimeBins::add(Keep keep) {
  series_.push_back({keep, {}, 0, 0});
  return series_.size() - 1;
}

std::size_t TimeBins::add_held(double value, double seconds, std::size_t like) {
  Series held = series_[like];
  held.keep = Keep::kLast;
  held.most = value;
  const std::size_t from = bin_of(seconds);
  for (std::size_t i = 0; i < held.bins.size(); ++i) {
    Bin& bin = held.bins[i];
    if (i < from) {
      held.values -= bin.count;
      bin.count = 0;
    }
    bin.value = value;
  }
  series_.push_back(std::move(held));
  return series_.size() - 1;
}

// A poll that comes a little early belongs to its own bin, hence half a first width.
std::size_t TimeBins::bin_of(double seconds) const {
  return static_cast<std::size_t>((std::max(0.0, seconds) + first_width_ / 2) / width_);
}

void TimeBins::move_to(double seconds) {
  while (bin_of(seconds) >= kMostBins) widen();
  bin_ = bin_of(seconds);
  bins_ = std::max(bins_, bin_ + 1);
}

void TimeBins::put(std::size_t series, double value) {
  if (!std::isfinite(value)) return;
  Series& to = series_[series];
  if (to.bins.size() <= bin_) to.bins.resize(bin_ + 1);
  Bin& bin = to.bins[bin_];
  const bool first = bin.count == 0;
  switch (to.keep) {
    case Keep::kMean:
      bin.value += value;
      break;
    case Keep::kMost:
      bin.value = first ? value : std::max(bin.value, value);
      break;
    case Keep::kLast:
      bin.value = value;
      break;
  }
  ++bin.count;
  to.most = to.values == 0 ? value : std::max(to.most, value);
  ++to.values;
}

void TimeBins::widen() {
  width_ *= 2;
  bins_ = (bins_ + 1) / 2;
  for (Series& series : series_) {
    for (std::size_t i = 0; i < series.bins.size(); ++i) {
      const Bin from = series.bins[i];
      Bin& to = series.bins[i / 2];
      if (i % 2 == 0) {
        to = from;
        continue;
      }
      if (from.count == 0) continue;
      if (to.count == 0 || series.keep == Keep::kLast) {
        to.value = from.value;
      } else if (series.keep == Keep::kMost) {
        to.value = std::max(to.value, from.value);
      } else {
        to.value += from.value;
      }
      to.count += from.count;
    }
    series.bins.resize((series.bins.size() + 1) / 2);
  }
}

std::vector<page::Point> TimeBins::points(std::size_t series, double divisor) const {
  const Series& from = series_[series];
  std::vector<page::Point> points;
  points.reserve(bins_);
  for (std::size_t i = 0; i < bins_; ++i) {
    page::Point& point = points.emplace_back();
    point.x = static_cast<double>(i) * width_;
    if (i >= from.bins.size() || from.bins[i].count == 0) continue;
    const Bin& bin = from.bins[i];
    const double value =
        from.keep == Keep::kMean ? bin.value / static_cast<double>(bin.count) : bin.value;
    point.value = value / divisor;
  }
  return points;
}

}  // namespace rocktune::tools
