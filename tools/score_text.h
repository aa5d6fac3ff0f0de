// The outcome of `rocktune score` for people, and as JSON. Pure. docs/score.md explains both.
#pragma once

#include <string>
#include <vector>

#include "score/evaluation.h"
#include "tools/control.h"

namespace rocktune::tools {

std::vector<std::string> score_lines(const std::vector<score::RunResult>& runs,
                                     const score::EvaluationRequest& request,
                                     const score::Evaluation& evaluation);

// One of its tables: a sentence, and rows of cells, the first of them the heading.
struct ScoreRows {
  std::string title;
  std::vector<std::vector<std::string>> rows;
};
ScoreRows score_rows(const score::Table& table);

Json tally_json(const score::Tally& tally);
Json score_json(const std::vector<score::RunResult>& runs, const score::EvaluationRequest& request,
                const score::Evaluation& evaluation);

}  // namespace rocktune::tools
