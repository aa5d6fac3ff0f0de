#include "tools/doubts.h"

#include <algorithm>
#include <utility>

#include "model/text.h"
#include "tools/claims.h"

namespace rocktune::tools {
namespace {

// From here on the seeds tell the same story.
constexpr double kStableConcordance = 0.9;
constexpr std::size_t kEnoughSeeds = 20;
// An order of what was asked for in less of the time than this is one of guesses.
constexpr double kLeastKnownDemand = 0.5;
// Less is over before a compaction of a deep level is. Of a scenario its text says how long it is.
constexpr double kLeastSimulatedSeconds = 60;

}  // namespace

std::string_view origin_of_device(const sim::HostLaws& host) {
  if (!host.device) return device_origin::kNone;
  return host.device_learnt ? device_origin::kLearnt : device_origin::kProbed;
}

std::vector<std::string> doubts(const SimulationBasis& basis) {
  std::vector<std::string> lines;
  if (basis.seeds < kEnoughSeeds) {
    lines.push_back("Fewer than " + std::to_string(kEnoughSeeds) +
                    " seeds: ranges and concordance say little.");
  }
  if (!basis.scenario && basis.simulated_seconds < kLeastSimulatedSeconds) {
    lines.push_back(
        "Less than " + text::duration(kLeastSimulatedSeconds) +
        " were simulated: too little for an order, however well the seeds agree on it.");
  }
  if (basis.demand_known_ratio < kLeastKnownDemand) {
    lines.push_back("What was asked for is known for less than " +
                    text::percent(kLeastKnownDemand) +
                    " of the time: figures and order rest on a guess.");
  }
  if (basis.missing_neighbours > 0) {
    lines.emplace_back(
        "Another database of the trace could not be simulated: if it was on the same device, its "
        "load there is missing.");
  }
  if (basis.device == device_origin::kScenario) lines.emplace_back(kScenarioP99Error);
  if (basis.device == device_origin::kLearnt) lines.emplace_back(kLearntP99Error);
  if (basis.device == device_origin::kProbed) lines.emplace_back(kRunP99Error);
  return lines;
}

std::vector<std::string> doubts(const std::vector<SimulationBasis>& databases) {
  std::vector<std::pair<std::string, std::size_t>> counts;  // in the order in which they came
  for (const SimulationBasis& basis : databases) {
    for (std::string& line : doubts(basis)) {
      const auto known = std::find_if(counts.begin(), counts.end(),
                                      [&](const auto& one) { return one.first == line; });
      if (known == counts.end()) {
        counts.emplace_back(std::move(line), 1);
      } else {
        ++known->second;
      }
    }
  }
  std::vector<std::string> lines;
  for (auto& [line, count] : counts) {
    const std::string whose = count == databases.size()
                                  ? ""
                                  : "Of " + std::to_string(count) + " of " +
                                        std::to_string(databases.size()) + " databases: ";
    lines.push_back(whose + line);
  }
  return lines;
}

std::string first_text(const sim::Ranking& ranking, const std::vector<std::string>& labels) {
  const std::vector<std::size_t> firsts = sim::first_places(ranking);
  std::string names;
  for (const std::size_t policy : firsts) names += (names.empty() ? "" : ", ") + labels[policy];
  return names + (firsts.size() > 1 ? " share the first place" : " comes first");
}

std::string order_words(const std::optional<double>& concordance,
                        const std::vector<double>& best_ratios, std::size_t meetings) {
  const bool tie =
      std::all_of(best_ratios.begin(), best_ratios.end(), [](double ratio) { return ratio == 1; });
  if (tie) return "no policy is told from another";
  if (meetings < 2) return "there is nothing else that the one seed could agree with";
  return concordance && *concordance >= kStableConcordance
             ? "the order is stable"
             : "the order is NOT stable, do not read it as one";
}

std::string concordance_text(const sim::Ranking& ranking, std::size_t meetings) {
  const std::string value = ranking.concordance ? text::number(*ranking.concordance, 2) : "-";
  return value + ": " + order_words(ranking.concordance, ranking.best_ratio, meetings);
}

}  // namespace rocktune::tools
