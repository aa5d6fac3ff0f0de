// What every page carries with it, as the build embedded it: style, script, and the chart library
// from the distribution's package (see page/CMakeLists.txt).
#pragma once

#include <string_view>

namespace rocktune::page {

std::string_view page_style();            // assets/page.css
std::string_view page_script();           // assets/looks.js and assets/page.js
std::string_view chart_library_style();   // dygraphs' own
std::string_view chart_library_script();  // dygraphs, and its extra that lets charts zoom together
std::string_view chart_library_licence();

}  // namespace rocktune::page
