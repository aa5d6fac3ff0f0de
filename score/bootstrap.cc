#include "score/bootstrap.h"

#include "model/split_mix.h"
#include "score/quantile.h"

namespace rocktune::score {
namespace {

// The bias of the modulo is below 2^-40 for any number of runs that fits a machine.
std::size_t below(std::size_t end, std::uint64_t& state) {
  return static_cast<std::size_t>(split_mix_next(state) % end);
}

}  // namespace

std::vector<std::vector<std::size_t>> resample_runs(std::size_t runs, std::size_t resamples,
                                                    std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> draws;
  if (runs < 2) return draws;  // one run says nothing of the next one
  draws.resize(resamples);
  for (auto& draw : draws) {
    draw.resize(runs);
    for (std::size_t& run : draw) run = below(runs, seed);
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
