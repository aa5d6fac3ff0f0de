// What an experiment shows: for each part what was scaled, our figures, the document's ratios
// beside ours, and which of its findings showed. Markdown for docs and files, plain text for a
// terminal, JSON for programs, all from one Summary. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/experiment/experiment.h"
#include "bench/experiment/outcome.h"
#include "bench/report/run.h"

namespace rocktune::bench::experiment {

struct PartSummary {
  const Part* part = nullptr;
  std::int64_t rounds = 0;       // asked for
  std::size_t runs_done = 0;     // finished ones
  std::size_t runs_partial = 0;  // stopped early: in no figure
  std::string label;             // "emulated device nvme-p41", "real device"; empty: nothing ran
  Figures figures;
  std::vector<Verdict> verdicts;
};

struct Summary {
  const Experiment* experiment = nullptr;
  SizeName size = SizeName::kScaled;
  std::string command;  // that makes it again
  report::Machine machine;
  double seconds = 0;  // --seconds; 0: as the parts say
  bool stopped = false;
  std::vector<PartSummary> parts;
};

std::string markdown(const Summary& summary);
std::string plain_text(const Summary& summary);
nlohmann::json summary_json(const Summary& summary);

}  // namespace rocktune::bench::experiment
