#include "score/thresholds.h"

#include <tuple>

namespace rocktune::score {
namespace {

std::vector<double> share_candidates() {
  std::vector<double> out;
  // Quotients, so that 14/20 is what 14 of 20 files give, to the last bit.
  for (int i = 1; i <= 40; ++i) out.push_back(i / 20.0);
  for (int i = 21; i <= 40; ++i) out.push_back(i / 10.0);
  for (int i = 9; i <= 20; ++i) out.push_back(i / 2.0);
  return out;
}

std::vector<double> probability_candidates() {
  std::vector<double> out = {0.001, 0.002, 0.005};
  for (int i = 1; i <= 99; ++i) out.push_back(i / 100.0);
  for (const double high : {0.995, 0.998, 0.999, 1.0}) out.push_back(high);
  return out;
}

bool keeps(const Tally& tally, double false_alarms_per_hour) {
  const auto rate = score::false_alarms_per_hour(tally);
  return rate && *rate <= false_alarms_per_hour;
}

double mean_recall(const Tally& tally) {
  double sum = 0;
  for (const std::size_t lead : kRecallLeads) sum += recall(tally, lead).value_or(0);
  return sum / static_cast<double>(kRecallLeads.size());
}

// What is the better the larger; the place last, for the higher threshold.
auto merit(const Tally& tally, std::size_t place) {
  return std::make_tuple(mean_recall(tally), -static_cast<double>(tally.false_alarms), place);
}

std::optional<std::size_t> lowest_safe(const std::vector<Tally>& candidates, double budget) {
  std::optional<std::size_t> lowest;
  for (std::size_t i = candidates.size(); i > 0; --i) {
    if (!keeps(candidates[i - 1], budget)) break;
    lowest = i - 1;
  }
  return lowest;
}

}  // namespace

std::vector<double> candidate_thresholds(const DetectorChoice& choice) {
  if (choice.threshold) return {*choice.threshold};
  switch (choice.spec->scale) {
    case Scale::kShare:
      return share_candidates();
    case Scale::kProbability:
      return probability_candidates();
    case Scale::kSilent:
    case Scale::kState:
      return {1.0};
  }
  return {};
}

std::optional<std::size_t> choose_threshold(const std::vector<Tally>& candidates,
                                            double false_alarms_per_hour) {
  if (candidates.empty()) return std::nullopt;
  if (candidates.front().events == 0) return lowest_safe(candidates, false_alarms_per_hour);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!keeps(candidates[i], false_alarms_per_hour)) continue;
    if (!best || merit(candidates[i], i) > merit(candidates[*best], *best)) best = i;
  }
  return best;
}

}  // namespace rocktune::score
