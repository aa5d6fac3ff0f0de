// A self-contained HTML page with sections of text, tables and charts: what the reports of
// rocktune and rocktune-bench are made of. It knows nothing of what is reported. The page opens
// from disk with no network: style, script and the chart library (docs/adr/006) are part of it.
// Pure.
//
// Charts of one group stand under each other, share the x axis, and zoom and point together. Series
// of one group name have one colour throughout the page and one switch that hides them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "page/table.h"

namespace rocktune::page {

// How several points become one where their x is too close to tell apart.
enum class Reduce { kMean, kMax, kLast };

struct Point {
  double x = 0;  // seconds since the first phase began, or what ChartGroup::x_label says
  std::optional<double> value;  // absent: a gap in the line
};

struct Series {
  std::string name;           // "static, repeat 2"
  std::string group;          // "static": colour and switch
  std::vector<Point> points;  // x ascending
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
  bool steps = false;        // a value holds until the next one, as a knob's does
};

// A stretch of the x axis with a name, such as a phase.
struct Band {
  std::string name;
  double from = 0;
  double to = 0;
};

// Something that happened at one x, shown at the upper edge of the charts.
struct Mark {
  double x = 0;
  std::string group;  // its colour and switch, where it has no kind
  std::string text;
  std::string kind = {};  // one of ChartGroup::mark_kinds: shape, colour, line and switch; or none
};

struct ChartGroup {
  std::string title;
  std::string x_label = "seconds";
  // Points are gathered to multiples of it, so that one position of the cursor finds a point of
  // every series: 1 for runs sampled each second. 0: each point stays where it is, and a line goes
  // straight to the next.
  double x_step = 1;
  std::vector<Chart> charts;  // those without a single value are left out
  std::vector<Band> bands;
  std::vector<Mark> marks;
  std::vector<std::string> mark_kinds = {};  // in the order of shapes; other kinds follow as met
  // Series are told by their own names, above each chart, in place of switches of groups: for
  // charts that show different things, where groups only share colours.
  bool named = false;
  // x counts seconds since then: the axis shows hours and minutes, the cursor the time of day.
  std::optional<std::int64_t> begin_unix_ms = std::nullopt;
};

struct Paragraph {
  std::string text;
  bool emphasis = false;  // the sentence that a reader in a hurry should read
};

using Block = std::variant<Paragraph, Table, ChartGroup>;

struct Section {
  std::string heading;
  std::vector<Block> blocks;
  bool folded = false;  // behind its heading until the reader opens it; not for charts
};

struct Page {
  std::string title;
  std::vector<std::string> groups;  // the order of colours; others follow as they are met
  std::vector<Section> sections;
};

// Points of all series of a page together; some 7 bytes each, so 2 MB. Beyond it x_step is widened
// until they fit, and the page says so above its charts.
inline constexpr std::size_t kMostPoints = 300'000;
// Marks of one chart group; the rest is counted, not shown.
inline constexpr std::size_t kMostMarks = 2'000;

std::string html(const Page& page);

}  // namespace rocktune::page
