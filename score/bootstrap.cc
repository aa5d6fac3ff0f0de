#include "score/bootstrap.h"

#include <random>

#include "score/quantile.h"

namespace rocktune::score {
namespace {

// The standard fixes what the engine gives, but not its distributions: the same numbers with every
// library. The bias of the modulo is below 2^-40 for any number of runs that fits a machine.
std::size_t below(std::mt19937_64& random, std::size_t end) {
  return static_cast<std::size_t>(random() % end);
}

}  // namespace

std::vector<std::vector<std::size_t>> resample_runs(std::size_t runs, std::size_t resamples,
                                                    std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> draws;
  if (runs < 2) return draws;  // one run says nothing of the next one
  std::mt19937_64 random(seed);
  draws.resize(resamples);
  for (auto& draw : draws) {
    draw.resize(runs);
    for (std::size_t& run : draw) run = below(random, runs);
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
