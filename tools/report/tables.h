// The tables of a trace's report: decisions, warnings and how good they were, knobs. Pure.
#pragma once

#include <vector>

#include "page/page.h"
#include "tools/report/recording.h"

namespace rocktune::tools {

// Sections with tables; those with many rows are folded, those without any are left out.
// `heading_end` follows each heading: " of orders".
std::vector<page::Section> table_sections(const Recording& recording,
                                          const std::string& heading_end);

}  // namespace rocktune::tools
