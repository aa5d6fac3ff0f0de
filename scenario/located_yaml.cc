#include "scenario/located_yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <tuple>
#include <utility>

#include "files/yaml_document.h"

namespace rocktune::scenario {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Unit {
  std::string_view suffix;
  double factor;
};

// A number and the first of the units that the text ends in, rounded to a whole number of what a
// factor of 1 means.
template <std::size_t N>
std::optional<std::int64_t> parse_with_unit(std::string_view text,
                                            const std::array<Unit, N>& units) {
  text = trimmed(text);
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto number =
        parse_whole<double>(trimmed(text.substr(0, text.size() - unit.suffix.size())));
    if (!number || !std::isfinite(*number)) return std::nullopt;
    const double value = *number * unit.factor;
    if (std::abs(value) > 9e18) return std::nullopt;
    return static_cast<std::int64_t>(std::llround(value));
  }
  return std::nullopt;
}

template <class T>
std::string out_of_range(std::string_view text, Range<T> range) {
  std::ostringstream message;
  message << text << " is out of range: give " << range.min << " to " << range.max;
  return message.str();
}

}  // namespace

void Problems::add(const YAML::Mark& mark, std::string_view key, std::string_view message) {
  std::string text;
  if (!key.empty()) text = std::string(key) + ": ";
  text += message;
  found_.push_back({mark.line + 1, mark.column + 1, std::move(text)});
}

Error Problems::error() const {
  auto sorted = found_;
  std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.line, a.column, a.text) < std::tie(b.line, b.column, b.text);
  });
  // A text that is read twice (a scenario, at both its sizes) has its mistakes twice.
  const auto same = [](const Entry& a, const Entry& b) {
    return a.line == b.line && a.column == b.column && a.text == b.text;
  };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  std::string all;
  for (const Entry& entry : sorted) {
    if (!all.empty()) all += '\n';
    all += file_;
    if (entry.line > 0) {  // text that did not come from a file has no place
      all += ':' + std::to_string(entry.line) + ':' + std::to_string(entry.column);
    }
    all += ": " + entry.text;
  }
  return Error{ErrorCode::kInvalidArgument, std::move(all)};
}

MapReader::MapReader(const YAML::Node& node, Problems& problems, std::string prefix)
    : node_(node), problems_(problems), prefix_(std::move(prefix)), is_map_(node.IsMap()) {
  if (!is_map_) {
    problems_.add(node.Mark(), prefix_.empty() ? "" : prefix_.substr(0, prefix_.size() - 1),
                  "must be a map of key: value");
  }
}

std::optional<YAML::Node> MapReader::node(const std::string& key) {
  asked_.insert(key);
  if (!is_map_) return std::nullopt;
  for (const auto& entry : node_) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  }
  return std::nullopt;
}

std::optional<std::string> MapReader::scalar(const std::string& key) {
  const auto found = node(key);
  if (!found) return std::nullopt;
  if (!found->IsScalar()) {
    problems_.add(found->Mark(), qualified(key), "must be a single value");
    return std::nullopt;
  }
  return found->Scalar();
}

bool MapReader::text(const std::string& key, std::string& out) {
  auto value = scalar(key);
  if (!value) return false;
  out = std::move(*value);
  return true;
}

bool MapReader::flag(const std::string& key, bool& out) {
  const auto value = scalar(key);
  if (!value) return false;
  if (*value != "true" && *value != "false") {
    problem(key, "'" + *value + "' is neither true nor false");
    return false;
  }
  out = *value == "true";
  return true;
}

bool MapReader::number(const std::string& key, double& out, Range<double> range) {
  const auto value = scalar(key);
  if (!value) return false;
  const auto parsed = parse_whole<double>(*value);
  if (!parsed || !std::isfinite(*parsed)) {
    problem(key, "'" + *value + "' is not a number");
    return false;
  }
  if (*parsed < range.min || *parsed > range.max) {
    problem(key, out_of_range(*value, range));
    return false;
  }
  out = *parsed;
  return true;
}

bool MapReader::integer(const std::string& key, std::int64_t& out, Range<std::int64_t> range) {
  const auto value = scalar(key);
  if (!value) return false;
  const auto parsed = parse_whole<std::int64_t>(*value);
  if (!parsed) {
    problem(key, "'" + *value + "' is not a whole number");
    return false;
  }
  if (*parsed < range.min || *parsed > range.max) {
    problem(key, out_of_range(*value, range));
    return false;
  }
  out = *parsed;
  return true;
}

bool MapReader::bytes(const std::string& key, std::int64_t& out, Range<std::int64_t> range) {
  const auto value = scalar(key);
  if (!value) return false;
  const auto parsed = parse_bytes(*value);
  if (!parsed) {
    problem(key, "'" + *value + "' is not a size: write 4096, 64KiB or 1.5MB");
    return false;
  }
  if (*parsed < range.min || *parsed > range.max) {
    problem(key, out_of_range(*value, range) + " bytes");
    return false;
  }
  out = *parsed;
  return true;
}

bool MapReader::duration(const std::string& key, Nanoseconds& out) {
  const auto value = scalar(key);
  if (!value) return false;
  const auto parsed = parse_duration(*value);
  if (!parsed || parsed->count() <= 0) {
    problem(key, "'" + *value + "' is not a duration above zero: write 500us, 5ms or 1.5s");
    return false;
  }
  out = *parsed;
  return true;
}

void MapReader::missing(const std::string& key) {
  problems_.add(node_.Mark(), qualified(key), "is required");
}

void MapReader::problem(const std::string& key, std::string_view message) {
  const auto at = node(key);
  problems_.add(at ? at->Mark() : node_.Mark(), qualified(key), message);
}

void MapReader::finish() {
  if (!is_map_) return;
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) {
      problems_.add(entry.first.Mark(), prefix_, "a key must be a plain word");
      continue;
    }
    const std::string key = entry.first.Scalar();
    if (!seen.insert(key).second) {
      problems_.add(entry.first.Mark(), qualified(key), "is given twice");
    } else if (!asked_.contains(key)) {
      std::string known;
      for (const auto& name : asked_) known += (known.empty() ? "" : ", ") + name;
      problems_.add(entry.first.Mark(), qualified(key), "is not known here; known: " + known);
    }
  }
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 10> kUnits = {{{"TiB", 1099511627776.0},
                                                   {"TB", 1e12},
                                                   {"KiB", 1024.0},
                                                   {"MiB", 1048576.0},
                                                   {"GiB", 1073741824.0},
                                                   {"KB", 1e3},
                                                   {"MB", 1e6},
                                                   {"GB", 1e9},
                                                   {"B", 1},
                                                   {"", 1}}};
  return parse_with_unit(text, kUnits);
}

std::optional<Nanoseconds> parse_duration(std::string_view text) {
  static constexpr std::array<Unit, 5> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"min", 60e9}, {"s", 1e9}}};
  const auto value = parse_with_unit(text, kUnits);
  return value ? std::optional(Nanoseconds(*value)) : std::nullopt;
}

std::optional<YAML::Node> parse_yaml(const std::string& text, Problems& problems) {
  try {
    return load_yaml_document(text);
  } catch (const YAML::ParserException& error) {
    problems.add(error.mark, "", error.msg);
    return std::nullopt;
  }
}

}  // namespace rocktune::scenario
