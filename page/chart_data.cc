#include "page/chart_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

namespace rocktune::page {
namespace {

using nlohmann::json;

// Five significant digits: more than a chart shows, and half the page's size.
double short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::strtod(text, nullptr);
}

// What the points are gathered to: the group's own step, widened; where it has none and must be
// thinned, the mean distance of the longest series, widened.
double step_of(const ChartGroup& group, std::size_t factor) {
  if (group.x_step > 0) return group.x_step * static_cast<double>(factor);
  if (factor <= 1) return 0;
  double step = 0;
  for (const Chart& chart : group.charts) {
    for (const Series& series : chart.series) {
      if (series.points.size() < 2) continue;
      const double span = series.points.back().x - series.points.front().x;
      step = std::max(step, span / static_cast<double>(series.points.size()));
    }
  }
  return step * static_cast<double>(factor);
}

// A value that can be drawn: JSON has no infinity, a logarithmic axis nothing below or at zero.
bool drawable(const std::optional<double>& value, bool logarithmic) {
  return value && std::isfinite(*value) && (!logarithmic || *value > 0);
}

std::map<double, double> drawn_points(const Series& series, const Chart& chart, double step) {
  std::map<double, double> drawn;
  for (const Point& point : gathered(series.points, step, chart.reduce)) {
    if (drawable(point.value, chart.logarithmic)) drawn[point.x] = short_number(*point.value);
  }
  return drawn;
}

json limits_json(const Chart& chart) {
  json limits = json::array();
  for (const Limit& limit : chart.limits) {
    if (!drawable(limit.value, chart.logarithmic)) continue;
    limits.push_back({{"label", limit.label}, {"value", limit.value}});
  }
  return limits;
}

json series_json(const Series& series, const std::map<double, double>& drawn,
                 const std::set<double>& all_x) {
  json y = json::array();
  for (const double x : all_x) {
    const auto found = drawn.find(x);
    y.push_back(found == drawn.end() ? json(nullptr) : json(found->second));
  }
  return {{"name", series.name}, {"group", series.group}, {"y", std::move(y)}};
}

// Null when there is nothing to draw.
json chart_json(const Chart& chart, double step) {
  std::vector<std::map<double, double>> drawn;
  std::set<double> all_x;
  for (const Series& series : chart.series) {
    drawn.push_back(drawn_points(series, chart, step));
    // A gap is a place on the axis too, or the line would be drawn across it.
    for (const Point& point : gathered(series.points, step, chart.reduce)) {
      if (!drawn.back().empty()) all_x.insert(point.x);
    }
  }
  if (all_x.empty()) return nullptr;
  json all_series = json::array();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (!drawn[i].empty()) all_series.push_back(series_json(chart.series[i], drawn[i], all_x));
  }
  return {{"title", chart.title},        {"unit", chart.unit}, {"logarithmic", chart.logarithmic},
          {"steps", chart.steps},        {"x", all_x},         {"series", std::move(all_series)},
          {"limits", limits_json(chart)}};
}

// Those that any mark has, each with its place among all: that is its shape, on every page alike.
json mark_kinds(const ChartGroup& group) {
  std::set<std::string> used;
  for (const Mark& mark : group.marks) {
    if (!mark.kind.empty()) used.insert(mark.kind);
  }
  json kinds = json::array();
  std::size_t shape = 0;
  const auto add = [&](const std::string& kind) {
    kinds.push_back({{"name", kind}, {"shape", shape}});
  };
  for (; shape < group.mark_kinds.size(); ++shape) {
    if (used.erase(group.mark_kinds[shape]) > 0) add(group.mark_kinds[shape]);
  }
  for (const std::string& kind : used) {
    add(kind);
    ++shape;
  }
  return kinds;
}

}  // namespace

std::size_t points_in(const Page& page) {
  std::size_t points = 0;
  for (const Section& section : page.sections) {
    for (const Block& block : section.blocks) {
      const auto* group = std::get_if<ChartGroup>(&block);
      if (group == nullptr) continue;
      for (const Chart& chart : group->charts) {
        for (const Series& series : chart.series) points += series.points.size();
      }
    }
  }
  return points;
}

std::size_t thinning_factor(std::size_t points, std::size_t most) {
  return points <= most ? 1 : (points + most - 1) / most;
}

std::vector<Point> gathered(const std::vector<Point>& points, double step, Reduce reduce) {
  if (step <= 0) return points;
  struct Gathered {
    double sum = 0;
    double most = 0;
    double last = 0;
    std::size_t count = 0;
  };
  std::map<std::int64_t, Gathered> bins;
  for (const Point& point : points) {
    Gathered& bin = bins[std::llround(point.x / step)];
    if (!point.value) continue;
    bin.sum += *point.value;
    bin.most = bin.count == 0 ? *point.value : std::max(bin.most, *point.value);
    bin.last = *point.value;
    ++bin.count;
  }
  const auto value_of = [&](const Gathered& bin) {
    if (reduce == Reduce::kMax) return bin.most;
    return reduce == Reduce::kLast ? bin.last : bin.sum / static_cast<double>(bin.count);
  };
  std::vector<Point> all;
  all.reserve(bins.size());
  for (const auto& [multiple, bin] : bins) {
    Point point{.x = static_cast<double>(multiple) * step, .value = std::nullopt};
    if (bin.count > 0) point.value = value_of(bin);
    all.push_back(point);
  }
  return all;
}

nlohmann::json chart_data(const ChartGroup& group, std::size_t factor) {
  const double step = step_of(group, factor);
  json charts = json::array();
  for (const Chart& chart : group.charts) {
    if (json drawn = chart_json(chart, step); !drawn.is_null()) charts.push_back(std::move(drawn));
  }
  json bands = json::array();
  for (const Band& band : group.bands) {
    bands.push_back({{"name", band.name}, {"from", band.from}, {"to", band.to}});
  }
  json marks = json::array();
  for (const Mark& mark : group.marks) {
    if (marks.size() == kMostMarks) break;
    marks.push_back(
        {{"x", mark.x}, {"group", mark.group}, {"text", mark.text}, {"kind", mark.kind}});
  }
  return {{"x_label", group.x_label},
          {"x_step", step},
          {"named", group.named},
          {"begin_unix_ms", group.begin_unix_ms ? json(*group.begin_unix_ms) : json(nullptr)},
          {"mark_kinds", mark_kinds(group)},
          {"charts", std::move(charts)},
          {"bands", std::move(bands)},
          {"marks_left_out", group.marks.size() - marks.size()},
          {"marks", std::move(marks)}};
}

std::string script_safe(const nlohmann::json& value) {
  const std::string plain = value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  safe.reserve(plain.size());
  // < > and & only occur within JSON's strings, where \u stands for the same character.
  for (const char c : plain) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace rocktune::page
