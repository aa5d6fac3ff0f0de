// `rocktune-bench experiment NAME`: makes the runs of an experiment of a source document, round by
// round, and prints its tables.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

struct ExperimentSettings {
  std::string name;               // a built-in's name or a YAML file
  std::string part;               // empty: all
  bool full = false;              // the document's own size
  std::int64_t repeat = 0;        // above 0: instead of the experiment's
  double seconds = 0;             // above 0: the length of each run
  std::string output;             // empty: a temporary directory, in which the results stay
  std::uint64_t seed = 1;         // of the random order
  bool json = false;              // the tables as JSON on stdout
  bool report_only = false;       // no runs: the tables of what --output has
  std::string progress = "auto";  // "none": no line per run
};

// Returns the exit code: 0 when all runs were made, whatever they showed; 1 failed; 2 usage; 130
// stopped.
int experiment_command(const ExperimentSettings& settings);

}  // namespace rocktune::bench
