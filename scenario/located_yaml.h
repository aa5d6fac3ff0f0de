// Reads YAML maps strictly and collects every mistake with its place, so that one run shows them
// all: `file:line:col: key: message`. Unknown and duplicate keys are mistakes.
//
//   Problems problems("demo.yaml");
//   MapReader map(node, problems);
//   map.bytes("value_size", spec.value_size, {1, 1 << 20});
//   map.finish();                       // reports the keys that nobody asked for
//
// Not thread-safe. The node must outlive the reader.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/clock.h"
#include "model/result.h"

namespace rocktune::scenario {

class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(const YAML::Mark& mark, std::string_view key, std::string_view message);
  [[nodiscard]] bool empty() const { return found_.empty(); }
  // All of them in the order of the file, one per line.
  [[nodiscard]] Error error() const;

 private:
  struct Entry {
    int line = 0;
    int column = 0;
    std::string text;
  };
  std::string file_;
  std::vector<Entry> found_;
};

template <class T>
struct Range {
  T min = std::numeric_limits<T>::lowest();
  T max = std::numeric_limits<T>::max();
};

class MapReader {
 public:
  // A node that is not a map is reported, and every key then counts as absent.
  MapReader(const YAML::Node& node, Problems& problems, std::string prefix = "");

  // Each leaves `out` alone and returns false when the key is absent or its value is wrong.
  bool text(const std::string& key, std::string& out);
  bool flag(const std::string& key, bool& out);
  bool number(const std::string& key, double& out, Range<double> range = {});
  bool integer(const std::string& key, std::int64_t& out, Range<std::int64_t> range = {});
  // "4096", "64KiB", "1.5MB": binary and decimal suffixes.
  bool bytes(const std::string& key, std::int64_t& out, Range<std::int64_t> range = {});
  // "500us", "5ms", "1.5s"; above zero.
  bool duration(const std::string& key, Nanoseconds& out);
  // The node itself, for lists and nested maps.
  std::optional<YAML::Node> node(const std::string& key);

  void missing(const std::string& key);  // reports a required key as absent
  void problem(const std::string& key, std::string_view message);
  void finish();

  [[nodiscard]] bool is_map() const { return is_map_; }
  // The key as messages name it: "phases[0].seconds".
  [[nodiscard]] std::string qualified(const std::string& key) const { return prefix_ + key; }

 private:
  std::optional<std::string> scalar(const std::string& key);

  YAML::Node node_;
  Problems& problems_;
  std::string prefix_;
  std::set<std::string> asked_;
  bool is_map_ = false;
};

// "64KiB" -> 65536. Nothing when the text is not a size.
std::optional<std::int64_t> parse_bytes(std::string_view text);
// "5ms" -> 5,000,000 ns: a number and ns, us, ms, s or min. Nothing when the text is not a
// duration.
std::optional<Nanoseconds> parse_duration(std::string_view text);

// Parses the text; a syntax error is reported like any other problem.
std::optional<YAML::Node> parse_yaml(const std::string& text, Problems& problems);

}  // namespace rocktune::scenario
