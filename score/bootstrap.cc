#include "score/bootstrap.h"

#include <map>
#include <string_view>

#include "model/split_mix.h"
#include "score/quantile.h"

namespace rocktune::score {
namespace {

// The bias of the modulo is below 2^-40 for any number of recordings that fits a machine.
std::size_t below(std::size_t end, std::uint64_t& state) {
  return static_cast<std::size_t>(split_mix_next(state) % end);
}

}  // namespace

std::vector<std::vector<std::size_t>> resample_runs(const std::vector<std::string>& recording_of,
                                                    std::size_t resamples, std::uint64_t seed) {
  std::map<std::string_view, std::size_t> places;
  std::vector<std::vector<std::size_t>> recordings;  // the runs of each
  for (std::size_t run = 0; run < recording_of.size(); ++run) {
    const auto [place, is_new] = places.emplace(recording_of[run], recordings.size());
    if (is_new) recordings.emplace_back();
    recordings[place->second].push_back(run);
  }
  std::vector<std::vector<std::size_t>> draws;
  if (recordings.size() < 2) return draws;  // one says nothing of the next one
  draws.resize(resamples);
  for (auto& draw : draws) {
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      const auto& runs = recordings[below(recordings.size(), seed)];
      draw.insert(draw.end(), runs.begin(), runs.end());
    }
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
