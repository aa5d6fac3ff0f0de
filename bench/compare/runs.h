// Makes the runs of a comparison: loads once (for static@CONFIGURATION once more), searches
// best-static where it is asked for, then runs every policy in its turn. Each finished run is in
// the directory before the next begins.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/compare.h"
#include "bench/compare/directory.h"
#include "bench/compare/order.h"
#include "bench/compare/policies.h"
#include "bench/compare/search.h"
#include "bench/trial/screen.h"
#include "bench/trial/trial.h"
#include "scenario/scenario.h"

namespace rocktune::bench {

class CompareRuns {
 public:
  // All must outlive it. `programs`: of shared_by_runs(); a run is only made while they are those.
  CompareRuns(const CompareSettings& settings, const scenario::Scenario& scenario,
              const nlohmann::json& programs, CompareDirectory& directory, Screen& screen)
      : settings_(settings),
        scenario_(scenario),
        programs_(programs),
        directory_(directory),
        screen_(screen) {}

  // Returns when all are made or a stop was requested.
  Result<void> make(const std::vector<std::string>& policies);

 private:
  Result<void> load(const std::string& configuration);
  Result<void> find_best_static();
  Result<std::optional<Score>> try_setting(const StaticSetting& setting, std::size_t round,
                                           double share_of_seconds);
  Result<std::vector<SearchedRun>> read_search() const;
  Result<void> write_search(const std::vector<SearchedRun>& runs,
                            const std::optional<StaticSetting>& best);
  Result<void> make_run(const PlannedRun& planned, std::size_t number, std::size_t of);
  [[nodiscard]] TrialSubject subject(const std::string& configuration = "") const;
  [[nodiscard]] double seconds() const;
  Watcher watcher(const std::string& what);

  const CompareSettings& settings_;
  const scenario::Scenario& scenario_;
  const nlohmann::json& programs_;
  CompareDirectory& directory_;
  Screen& screen_;
  std::map<std::string, std::string> loaded_;  // by configuration; "": the scenario's own
  std::vector<std::string> best_options_;
};

}  // namespace rocktune::bench
