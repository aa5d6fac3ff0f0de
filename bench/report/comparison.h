// A comparison of policies for people: Markdown (compare.md), a terminal, and an HTML page with the
// time series of every run under each other. What stands in the files comes from one Summary. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/report/page.h"
#include "bench/report/summary.h"
#include "bench/report/table.h"

namespace rocktune::bench::report {

// What came out, in sentences: one per policy but the reference.
std::vector<std::string> conclusions(const Summary& summary);

// The figures by policy, and the ratios to the reference.
Table figure_table(const Summary& summary);
Table ratio_table(const Summary& summary);

std::string comparison_markdown(const Summary& summary);
std::string comparison_text(const Summary& summary);
Page comparison_page(const Comparison& comparison, const Summary& summary);

}  // namespace rocktune::bench::report
