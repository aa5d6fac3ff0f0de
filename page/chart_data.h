// The points of a page's charts as the JSON that its script draws: gathered to a common x, thinned
// to what a page may hold, and safe inside a <script> element. Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "page/page.h"

namespace rocktune::page {

std::size_t points_in(const Page& page);

// How many points become one so that `points` fit into `most`: 1 when they do.
std::size_t thinning_factor(std::size_t points, std::size_t most);

// Points that fall to one multiple of `step` as one, at that multiple. Their absent values are left
// out; a multiple where all are absent keeps an absent one.
std::vector<Point> gathered(const std::vector<Point>& points, double step, Reduce reduce);

// {"x_label", "x_step", "named", "begin_unix_ms", "charts": [{"title", "unit", "logarithmic",
// "steps", "x": [...],
//  "series": [{"name", "group", "y": [...]}], "limits": [{"label", "value"}]}],
//  "bands": [{"name", "from", "to"}], "marks": [{"x", "group", "text", "kind"}],
//  "marks_left_out", "mark_kinds": [{"name", "shape"}]}.
// Every chart's y have as many elements as its x, null where the series has no value. Charts and
// series without any value are left out.
nlohmann::json chart_data(const ChartGroup& group, std::size_t factor);

// JSON that cannot end the <script> that it stands in, nor open a comment there, whatever its
// strings are; bytes that are no UTF-8 become replacement characters.
std::string script_safe(const nlohmann::json& value);

}  // namespace rocktune::page
