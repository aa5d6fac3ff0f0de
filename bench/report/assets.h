// What every page carries with it, as the build embedded it: style, script, and the chart library
// from the distribution's package (see bench/report/report.cmake).
#pragma once

#include <string_view>

namespace rocktune::bench::report {

std::string_view page_style();            // page/page.css
std::string_view page_script();           // page/page.js
std::string_view chart_library_style();   // dygraphs' own
std::string_view chart_library_script();  // dygraphs, and its extra that lets charts zoom together
std::string_view chart_library_licence();

}  // namespace rocktune::bench::report
