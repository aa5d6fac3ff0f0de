#include "scenario/workload/sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/text.h"

namespace rocktune::scenario {
namespace {

// A parameter's shortest form of up to six digits: part of what a database is marked with.
std::string parameter(double value) {
  std::string out = text::number(value, 6);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::vector<Sizes::Weighted> read_values(MapReader& map, const std::string& prefix,
                                         Problems& problems, Range<std::int64_t> range) {
  std::vector<Sizes::Weighted> values;
  const auto list = map.node("values");
  if (!list) {
    map.missing("values");
    return values;
  }
  if (!list->IsSequence() || list->size() == 0) {
    map.problem("values", "must be a list of {size, weight}");
    return values;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    MapReader entry((*list)[i], problems, prefix + "values[" + std::to_string(i) + "].");
    Sizes::Weighted value{range.min, 1};
    if (entry.is_map() && !entry.node("size")) entry.missing("size");
    entry.bytes("size", value.size, range);
    entry.number("weight", value.weight, {1e-9, 1e9});
    entry.finish();
    values.push_back(value);
  }
  return values;
}

// min and max, both within the range and in this order.
std::pair<std::int64_t, std::int64_t> read_ends(MapReader& map, Range<std::int64_t> range,
                                                bool required) {
  std::pair<std::int64_t, std::int64_t> ends{range.min, range.max};
  for (const char* key : {"min", "max"}) {
    if (required && map.is_map() && !map.node(key)) map.missing(key);
  }
  map.bytes("min", ends.first, range);
  map.bytes("max", ends.second, range);
  if (ends.first > ends.second) {
    map.problem("max", "must not be below min");
    ends.second = ends.first;
  }
  return ends;
}

}  // namespace

Sizes Sizes::uniform(std::int64_t min, std::int64_t max) {
  Sizes made(min);
  made.kind_ = Kind::kUniform;
  made.max_ = max;
  return made;
}

Sizes Sizes::list(std::vector<Weighted> values) {
  Sizes made(values.front().size);
  made.kind_ = Kind::kList;
  for (const Weighted& value : values) {
    made.min_ = std::min(made.min_, value.size);
    made.max_ = std::max(made.max_, value.size);
  }
  made.values_ = std::move(values);
  return made;
}

Sizes Sizes::pareto(double k, double sigma, double theta, std::int64_t min, std::int64_t max) {
  Sizes made(min);
  made.kind_ = Kind::kPareto;
  made.max_ = max;
  made.k_ = k;
  made.sigma_ = sigma;
  made.theta_ = theta;
  return made;
}

std::int64_t Sizes::at(double u) const {
  switch (kind_) {
    case Kind::kFixed:
      return min_;
    case Kind::kUniform:
      return min_ + static_cast<std::int64_t>(u * static_cast<double>(max_ - min_ + 1));
    case Kind::kList: {
      double sum = 0;
      for (const Weighted& value : values_) sum += value.weight;
      double left = u * sum;
      for (const Weighted& value : values_) {
        left -= value.weight;
        if (left < 0) return value.size;
      }
      return values_.back().size;
    }
    case Kind::kPareto: {
      const double size = k_ == 0 ? theta_ - sigma_ * std::log1p(-u)
                                  : theta_ + sigma_ / k_ * (std::pow(1 - u, -k_) - 1);
      return static_cast<std::int64_t>(
          std::ceil(std::clamp(size, static_cast<double>(min_), static_cast<double>(max_))));
    }
  }
  return min_;
}

std::string Sizes::text() const {
  switch (kind_) {
    case Kind::kFixed:
      return std::to_string(min_);
    case Kind::kUniform:
      return "uniform " + std::to_string(min_) + " to " + std::to_string(max_);
    case Kind::kList: {
      std::string out;
      for (const Weighted& value : values_) {
        out += (out.empty() ? "list " : ", ") + std::to_string(value.size) + " (x" +
               parameter(value.weight) + ")";
      }
      return out;
    }
    case Kind::kPareto:
      return "pareto k=" + parameter(k_) + " sigma=" + parameter(sigma_) +
             " theta=" + parameter(theta_) + ", " + std::to_string(min_) + " to " +
             std::to_string(max_);
  }
  return "";
}

void read_sizes(MapReader& map, const std::string& key, Problems& problems,
                Range<std::int64_t> range, Sizes& out) {
  const auto node = map.node(key);
  if (!node) return;
  if (!node->IsMap()) {
    std::int64_t size = 0;
    if (map.bytes(key, size, range)) out = Sizes(size);
    return;
  }
  const std::string prefix = map.qualified(key) + ".";
  MapReader inner(*node, problems, prefix);
  std::string kind;
  inner.text("kind", kind);
  if (kind == "uniform") {
    const auto [min, max] = read_ends(inner, range, true);
    out = Sizes::uniform(min, max);
  } else if (kind == "list") {
    auto values = read_values(inner, prefix, problems, range);
    if (!values.empty()) out = Sizes::list(std::move(values));
  } else if (kind == "pareto") {
    double k = 0;
    double sigma = 1;
    double theta = 0;
    for (const char* required : {"k", "sigma"}) {
      if (!inner.node(required)) inner.missing(required);
    }
    inner.number("k", k, {0, 100});
    inner.number("sigma", sigma, {1e-9, 1e12});
    inner.number("theta", theta, {-1e12, 1e12});
    const auto [min, max] = read_ends(inner, range, false);
    out = Sizes::pareto(k, sigma, theta, min, max);
  } else {
    inner.problem("kind", "must be uniform, list or pareto; a fixed size is a plain number");
  }
  inner.finish();
}

}  // namespace rocktune::scenario
