// The sections of a result's page, a document each, or the lines of a sweep together. Pure. What a
// document lacks is left out.
#pragma once

#include <string>
#include <vector>

#include "page/page.h"
#include "tools/control.h"
#include "tools/sweep_result.h"

namespace rocktune::tools {

std::vector<page::Section> simulation_sections(const Json& document);  // rocktune-simulate/1
std::vector<page::Section> validation_sections(const Json& document);  // rocktune-validate/1
std::vector<page::Section> score_sections(const Json& document);       // rocktune-score/1
// {"replays": the lines rocktune-replay/1 of all policies and targets}
std::vector<page::Section> replay_sections(const Json& document);
std::vector<page::Section> sweep_sections(const SweepResult& result);  // rocktune-sweep/1

}  // namespace rocktune::tools
