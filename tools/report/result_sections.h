// The sections of a result's page, a document each. Pure. What a document lacks is left out.
#pragma once

#include <string>
#include <vector>

#include "page/page.h"
#include "tools/control.h"

namespace rocktune::tools {

std::vector<page::Section> simulation_sections(const Json& document);  // rocktune-simulate/1
std::vector<page::Section> validation_sections(const Json& document);  // rocktune-validate/1
std::vector<page::Section> score_sections(const Json& document);       // rocktune-score/1

}  // namespace rocktune::tools
