# The reports: what makes tables, Markdown and HTML pages with charts (docs/adr/006).
# Sets ROCKTUNE_REPORT_SOURCES for the library that bench/CMakeLists.txt makes.

# The chart library comes from the distribution and becomes part of the binary, so that a page needs
# nothing else. -DROCKTUNE_DYGRAPHS_DIR=DIR takes it from where another system has it.
find_path(ROCKTUNE_DYGRAPHS_DIR dygraph.min.js
  PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH
  DOC "Directory of dygraphs 2.2: dygraph.min.js, dygraph.min.css, extras/synchronizer.js")
if(NOT ROCKTUNE_DYGRAPHS_DIR)
  message(FATAL_ERROR "dygraph.min.js was not found in /usr/share/javascript/dygraphs: install the package "
    "libjs-dygraphs (./dev setup does), or give its directory with -DROCKTUNE_DYGRAPHS_DIR=DIR")
endif()

# rocktune_report_asset(VARIABLE FILE...): the files' text, one after the other. Source maps, which
# name files that a page does not have, are left out.
function(rocktune_report_asset variable)
  set(all "")
  foreach(path IN LISTS ARGN)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "${path} was not found: the package libjs-dygraphs (2.2 or later) has it")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" text)
    string(REGEX REPLACE "\n?(//|/\\*)# sourceMappingURL=[^\n]*" "" text "${text}")
    string(APPEND all "${text}\n")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

set(page "${CMAKE_CURRENT_LIST_DIR}/page")
rocktune_report_asset(ROCKTUNE_PAGE_STYLE "${page}/page.css")
rocktune_report_asset(ROCKTUNE_PAGE_SCRIPT "${page}/page.js")
rocktune_report_asset(ROCKTUNE_DYGRAPHS_LICENCE "${PROJECT_SOURCE_DIR}/docs/licences/dygraphs.md")
rocktune_report_asset(ROCKTUNE_DYGRAPHS_STYLE "${ROCKTUNE_DYGRAPHS_DIR}/dygraph.min.css")
rocktune_report_asset(ROCKTUNE_DYGRAPHS_SCRIPT
  "${ROCKTUNE_DYGRAPHS_DIR}/dygraph.min.js" "${ROCKTUNE_DYGRAPHS_DIR}/extras/synchronizer.js")
configure_file("${CMAKE_CURRENT_LIST_DIR}/assets.cc.in" "${CMAKE_CURRENT_BINARY_DIR}/report_assets.cc" @ONLY)

set(ROCKTUNE_REPORT_SOURCES
  ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cc
  report/chart_data.cc
  report/comparison.cc
  report/comparison_charts.cc
  report/comparison_page.cc
  report/figures.cc
  report/machine.cc
  report/page.cc
  report/result_reader.cc
  report/standings.cc
  report/statistics.cc
  report/summary.cc
  report/table.cc)
