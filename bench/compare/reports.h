// The reports of a directory of runs: compare.json, compare.md and compare.html in it, and the
// tables on the screen.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/compare/directory.h"
#include "bench/trial/screen.h"
#include "model/result.h"

namespace rocktune::bench {

struct ReportHead {
  std::string title;
  std::string command;                              // that made them
  std::vector<std::string> policies;                // the order to show them in
  std::uint64_t seed = 1;                           // of the bootstrap
  nlohmann::json facts = nlohmann::json::object();  // more members of compare.json
};

// Of every run that the directory has; nothing where it has none.
Result<void> write_reports(const ReportHead& head, const CompareDirectory& directory,
                           Screen& screen);

}  // namespace rocktune::bench
