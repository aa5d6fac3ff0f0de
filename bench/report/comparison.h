// A comparison of policies for people: Markdown (compare.md), a terminal, and an HTML page with the
// time series of every run under each other. What stands in them comes from one Summary. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/report/summary.h"
#include "page/page.h"
#include "page/table.h"

namespace rocktune::bench::report {

// What came out, in words: one sentence or more per policy but the reference.
std::vector<std::string> conclusions(const Summary& summary);

// What a reader must know beside the figures: the machine and device, how the intervals were made,
// what was left out, and which runs do not agree.
std::vector<std::string> remarks(const Summary& summary);

// By policy: median and, in brackets, least and most of the repeats.
page::Table figure_table(const Summary& summary, const std::vector<Figure>& figures);
// By policy but the reference: the ratio of medians, its interval, what to make of it.
page::Table ratio_table(const Summary& summary, const std::vector<Figure>& figures);

// For each yardstick the ratio of every other policy's throughput to its own: of the whole run, and
// of each phase where there are several.
std::vector<page::Table> yardstick_tables(const Summary& summary);

std::string comparison_markdown(const Summary& summary);
std::string comparison_text(const Summary& summary);
page::Page comparison_page(const Comparison& comparison, const Summary& summary);

}  // namespace rocktune::bench::report
