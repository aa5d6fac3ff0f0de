#include "score/bootstrap.h"

#include "score/quantile.h"

namespace rocktune::score {
namespace {

// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers with every library and compiler.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // The bias of the modulo is below 2^-40 for any number of runs that fits a machine.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(next() % end); }

 private:
  std::uint64_t state_;
};

}  // namespace

std::vector<std::vector<std::size_t>> resample_runs(std::size_t runs, std::size_t resamples,
                                                    std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> draws;
  if (runs < 2) return draws;  // one run says nothing of the next one
  SplitMix random(seed);
  draws.resize(resamples);
  for (auto& draw : draws) {
    draw.resize(runs);
    for (std::size_t& run : draw) run = random.below(runs);
  }
  return draws;
}

std::optional<Interval> interval_of(const std::vector<std::optional<double>>& values) {
  std::vector<double> known;
  for (const auto& value : values) {
    if (value) known.push_back(*value);
  }
  if (known.empty() || known.size() * 2 < values.size()) return std::nullopt;
  constexpr double kTail = (1 - kConfidence) / 2;
  return Interval{*quantile(known, kTail), *quantile(known, 1 - kTail)};
}

}  // namespace rocktune::score
