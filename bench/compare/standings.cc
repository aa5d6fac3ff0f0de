#include "bench/compare/standings.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "bench/compare/policies.h"
#include "bench/report/standings.h"
#include "files/text_file.h"
#include "wire/json_text.h"

namespace rocktune::bench {
namespace {

constexpr std::size_t kMostBytes = 64 << 20;

Result<report::ScenarioStanding> read_standing(const std::string& directory) {
  const std::string path = directory + "/compare.json";
  const auto text = rocktune::read_text_file(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  auto standing = report::standing_of(wire::parse_json<nlohmann::json>(*text));
  if (!standing) return tl::unexpected(standing.error().within(path));
  return standing;
}

// As comparisons call it: parameters in their shortest form. What is not known may still be the
// name of a policy in an older comparison.
std::string name_in_comparisons(const std::string& policy) {
  if (policy.find(':') == std::string::npos) return policy;
  const auto known = parse_policies(policy, "--policy");
  return known && known->size() == 1 ? known->front() : policy;
}

}  // namespace

int standings_command(const StandingsSettings& settings) {
  report::Standings standings{.scenarios = {}, .policy = name_in_comparisons(settings.policy)};
  std::set<std::filesystem::path> known;
  for (const std::string& directory : settings.directories) {
    std::error_code unknown;  // then reading it says what is wrong
    if (!known.insert(std::filesystem::weakly_canonical(directory, unknown)).second) {
      std::fprintf(stderr, "rocktune-bench: %s is given twice: it would count as two scenarios\n",
                   directory.c_str());
      return 2;
    }
    auto standing = read_standing(directory);
    if (!standing) {
      std::fprintf(stderr, "rocktune-bench: %s\n", standing.error().message.c_str());
      return 1;
    }
    standings.scenarios.push_back(std::move(*standing));
  }
  if (!report::has_policy(standings)) {
    std::fprintf(stderr, "rocktune-bench: no comparison has a run of %s: see --policy\n",
                 standings.policy.c_str());
    return 1;
  }
  std::fputs(report::standings_markdown(standings).c_str(), stdout);
  return 0;
}

}  // namespace rocktune::bench
