#include "tests/unit/sim/keyspace.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace rocktune::test {
namespace {

constexpr double kFlushed = 0.85;
constexpr double kTrigger = 4, kBase = 4, kMultiplier = 10;
constexpr std::size_t kLevels = 5;
constexpr double kNothing = 1e-9;

struct File {
  double begin = 0, end = 1;  // of the keys, which are 0 to 1
  double size = 0;
};
using Files = std::vector<File>;  // of one level, in the order of their keys

double size_of(const Files& files) {
  return std::accumulate(files.begin(), files.end(), 0.0,
                         [](double sum, const File& file) { return sum + file.size; });
}

double size_between(const Files& files, double begin, double end) {
  double size = 0;
  for (const File& file : files) {
    const double shared = std::min(end, file.end) - std::max(begin, file.begin);
    if (shared > 0) size += file.size * shared / (file.end - file.begin);
  }
  return size;
}

// Both in one, cut anew.
Files merged(const Files& one, const Files& other) {
  std::vector<double> bounds;
  for (const Files* files : {&one, &other}) {
    for (const File& file : *files) bounds.insert(bounds.end(), {file.begin, file.end});
  }
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  Files out;
  File current{0, 0, 0};
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    double begin = bounds[i];
    const double end = bounds[i + 1];
    double size = size_between(one, begin, end) + size_between(other, begin, end);
    while (size > kNothing) {
      if (current.size == 0) current.begin = begin;
      const double taken = std::min(size, 1 - current.size);
      begin += (end - begin) * taken / size;
      size -= taken;
      current.size += taken;
      current.end = begin;
      if (current.size < 1 - kNothing) continue;
      out.push_back(current);
      current.size = 0;
    }
  }
  if (current.size > kNothing) out.push_back(current);
  return out;
}

// The files of `next` that `file` overlaps: from the first to before the second.
std::pair<std::size_t, std::size_t> overlapped_by(const File& file, const Files& next) {
  const auto first = std::partition_point(next.begin(), next.end(),
                                          [&](const File& one) { return one.end <= file.begin; });
  const auto last = std::partition_point(first, next.end(),
                                         [&](const File& one) { return one.begin < file.end; });
  return {static_cast<std::size_t>(first - next.begin()),
          static_cast<std::size_t>(last - next.begin())};
}

class Keyspace {
 public:
  void flush() { ++l0_; }

  // What it costs, in files read; nothing where no level is above its target.
  double compact(std::vector<DeepPick>& picks) {
    std::size_t level = 0;
    double score = l0_ / kTrigger, target = kBase;
    for (std::size_t i = 1; i + 1 < kLevels; ++i, target *= kMultiplier) {
      const double own = size_of(levels_.at(i)) / target;
      if (own > score) score = own, level = i;
    }
    if (score < 1) return 0;
    return level == 0 ? compact_l0() : compact_deep(level, picks);
  }

 private:
  double compact_l0() {
    const double read = l0_ * kFlushed + size_of(levels_[1]);
    levels_[1] = merged({{0, 1, l0_ * kFlushed}}, levels_[1]);
    l0_ = 0;
    return read;
  }

  double compact_deep(std::size_t level, std::vector<DeepPick>& picks) {
    Files& own = levels_.at(level);
    Files& next = levels_.at(level + 1);
    const double ratio = size_of(next) / size_of(own);
    const auto share = [&](const File& file) {
      const auto [first, last] = overlapped_by(file, next);
      double size = 0;
      for (std::size_t i = first; i < last; ++i) size += next[i].size;
      return size / file.size;
    };
    std::vector<double> shares(own.size());
    std::transform(own.begin(), own.end(), shares.begin(), share);
    const auto least = std::min_element(shares.begin(), shares.end());
    const auto picked = own.begin() + (least - shares.begin());
    const File file = *picked;
    const auto [first, last] = overlapped_by(file, next);
    picks.push_back({ratio, *least});
    own.erase(picked);
    const auto begin = next.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = next.begin() + static_cast<std::ptrdiff_t>(last);
    const Files inputs(begin, end);
    const Files outputs = inputs.empty() ? Files{file} : merged({file}, inputs);
    next.insert(next.erase(begin, end), outputs.begin(), outputs.end());
    return inputs.empty() ? kNothing : file.size * (1 + *least);
  }

  double l0_ = 0;
  std::array<Files, kLevels> levels_;
};

}  // namespace

std::vector<DeepPick> deep_picks(std::size_t flushes, double files_per_flush) {
  Keyspace tree;
  std::vector<DeepPick> picks;
  double allowed = 0;
  for (std::size_t i = 0; i < flushes; ++i) {
    tree.flush();
    for (allowed += files_per_flush; allowed > 0;) {
      const double read = tree.compact(picks);
      if (read == 0) allowed = 0;
      allowed -= read;
    }
  }
  return picks;
}

}  // namespace rocktune::test
