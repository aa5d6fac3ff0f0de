// A self-contained HTML page with sections of text, tables and charts of time series: what every
// report of rocktune-bench is made of. It knows nothing of what is reported. The page opens from
// disk with no network: style, script and the chart library (docs/adr/006) are part of it. Pure.
//
// Charts of one group stand under each other, share the x axis, and zoom and point together. Series
// of one group name have one colour throughout the page and one switch that hides them all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/report/table.h"

namespace rocktune::bench::report {

// How several samples become one where a series has more than the page can hold.
enum class Reduce { kMean, kMax };

struct Point {
  double seconds = 0;
  std::optional<double> value;  // absent: a gap in the line
};

struct Series {
  std::string name;   // "static, repeat 2"
  std::string group;  // "static": colour and switch
  std::vector<Point> points;
};

// A horizontal line, such as an objective.
struct Limit {
  std::string label;
  double value = 0;
};

struct Chart {
  std::string title;  // "P99 of reads"
  std::string unit;   // "ms"; may be empty
  std::vector<Series> series;
  std::vector<Limit> limits;
  Reduce reduce = Reduce::kMean;
  bool logarithmic = false;  // values that are not above zero become gaps
};

// A stretch of the x axis with a name, such as a phase.
struct Band {
  std::string name;
  double from_seconds = 0;
  double to_seconds = 0;
};

// Something that happened at a moment in one of the series, shown at the upper edge of the charts.
struct Mark {
  double seconds = 0;
  std::string group;
  std::string text;
};

struct ChartGroup {
  std::string title;
  std::vector<Chart> charts;
  std::vector<Band> bands;
  std::vector<Mark> marks;
};

struct Paragraph {
  std::string text;
  bool emphasis = false;  // the sentence that a reader in a hurry should read
};

using Block = std::variant<Paragraph, Table, ChartGroup>;

struct Section {
  std::string heading;
  std::vector<Block> blocks;
};

struct Page {
  std::string title;
  std::vector<std::string> groups;  // the order of colours; others follow as they are met
  std::vector<Section> sections;
};

// Points of all series of a page together. At some 7 bytes a point this is 2 MB; a series that has
// more than its share is thinned (Chart::reduce), and the page says so under its charts.
inline constexpr std::size_t kMostPoints = 300'000;
// No series is thinned below this many points: a wide screen shows no more anyway.
inline constexpr std::size_t kLeastPointsOfSeries = 500;

std::string html(const Page& page);

}  // namespace rocktune::bench::report
