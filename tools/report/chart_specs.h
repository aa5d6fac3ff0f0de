// What a report of a trace draws: every chart with its lines, where their values come from, and
// what is said when the trace has none of them. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/features.h"
#include "model/indicators.h"
#include "model/objective.h"
#include "page/page.h"
#include "tools/report/time_bins.h"

namespace rocktune::tools {

// What is known at one sample.
struct Moment {
  const Features& features;
  const std::vector<Indicator>& indicators;  // empty before the first fresh sample
};

struct LineSpec {
  std::string name;
  std::string colour;  // page::Series::group: those of one kind have one colour
  std::function<Value(const Moment&)> value;
};

// What the values are counted in; the chart says the unit that suits their size.
enum class Unit { kPlain, kPerSecond, kBytes, kBytesPerSecond, kMicroseconds, kMilliseconds };

// A limit of the chart: a line where the values come near it, else words in the title.
struct LimitSpec {
  std::string label;  // "writes slow"
  std::function<Value(const Features&, const Objective&)> value;
};

struct ChartSpec {
  std::string title;
  Unit unit = Unit::kPlain;
  Keep keep = Keep::kMean;
  bool logarithmic = false;
  std::vector<LineSpec> lines;
  std::vector<LimitSpec> limits;
  std::string missing;  // "latencies (...)": this trace has no ...; empty: nothing is said
};

const std::vector<ChartSpec>& chart_specs();

// The order of the colours that LineSpec::colour names.
std::vector<std::string> colours();

// How values of a unit are shown whose largest is `most`: divided by that, in that unit.
struct Scale {
  double divisor = 1;
  std::string unit;
};
Scale scale_of(Unit unit, double most);
// "64.0 GiB", "20", "5.0 ms".
std::string value_text(Unit unit, double value);

}  // namespace rocktune::tools
