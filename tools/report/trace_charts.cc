#include "tools/report/trace_charts.h"

#include <algorithm>
#include <chrono>

#include "model/knobs.h"

namespace rocktune::tools {
namespace {

// A limit that is more than this times the largest value would press the line to the floor: it is
// told in the title instead.
constexpr double kFarLimit = 4;

Unit unit_of(const std::string& knob) {
  const KnobSpec* spec = find_knob(knob);
  if (spec == nullptr) return Unit::kPlain;
  if (spec->unit == "bytes/s") return Unit::kBytesPerSecond;
  return spec->unit == "bytes" ? Unit::kBytes : Unit::kPlain;
}

double most_of(const Recording& recording, const std::vector<std::size_t>& series) {
  double most = 0;
  for (const std::size_t one : series) most = std::max(most, recording.bins().most(one));
  return most;
}

// Limits of one value are one line.
void add_limit(const std::string& label, double value, page::Chart& chart) {
  const auto same = std::find_if(chart.limits.begin(), chart.limits.end(),
                                 [&](const page::Limit& one) { return one.value == value; });
  if (same == chart.limits.end()) {
    chart.limits.push_back({label, value});
  } else {
    same->label += ", " + label;
  }
}

page::Chart chart_of(const ChartSpec& spec, const std::vector<std::size_t>& series,
                     const Recording& recording) {
  const TimeBins& bins = recording.bins();
  const double most = most_of(recording, series);
  const Scale scale = scale_of(spec.unit, most);
  page::Chart chart;
  chart.title = spec.title;
  chart.unit = scale.unit;
  chart.logarithmic = spec.logarithmic;
  chart.reduce = spec.keep == Keep::kMean ? page::Reduce::kMean : page::Reduce::kMax;
  for (std::size_t i = 0; i < series.size(); ++i) {
    // What never happened, beside what did, is no line.
    if (bins.is_empty(series[i]) || (most > 0 && bins.most(series[i]) <= 0)) continue;
    chart.series.push_back(
        {spec.lines[i].name, spec.lines[i].colour, bins.points(series[i], scale.divisor)});
  }
  const Objective& objective = recording.target().info.engine.objective;
  std::string far;
  for (const LimitSpec& limit : spec.limits) {
    const Value value = limit.value(recording.last(), objective);
    if (!value || *value <= 0) continue;
    if (*value > kFarLimit * most && !spec.logarithmic) {
      far += (far.empty() ? " (" : ", ") + limit.label + " at " + value_text(spec.unit, *value);
    } else {
      add_limit(limit.label, *value / scale.divisor, chart);
    }
  }
  if (!far.empty()) chart.title += far + ")";
  return chart;
}

page::Chart knob_chart(const KnobTrack& track, const Recording& recording) {
  const TimeBins& bins = recording.bins();
  const Scale scale = scale_of(unit_of(track.name), bins.most(*track.series));
  page::Chart chart;
  chart.title = "knob " + track.title();
  chart.unit = scale.unit;
  chart.reduce = page::Reduce::kLast;
  chart.steps = true;
  chart.series.push_back({track.title(), "all", bins.points(*track.series, scale.divisor)});
  return chart;
}

}  // namespace

page::ChartGroup trace_charts(const Recording& recording) {
  page::ChartGroup group;
  group.named = true;
  group.x_step = recording.bins().width_seconds();
  group.begin_unix_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(recording.totals().first_wall).count();
  const std::vector<ChartSpec>& specs = chart_specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    page::Chart chart = chart_of(specs[i], recording.series()[i], recording);
    if (!chart.series.empty()) group.charts.push_back(std::move(chart));
  }
  for (const KnobTrack& track : recording.knobs().tracks()) {
    if (track.series) group.charts.push_back(knob_chart(track, recording));
  }
  group.marks = recording.marks().marks();
  group.mark_kinds = MarkList::kinds();
  return group;
}

}  // namespace rocktune::tools
