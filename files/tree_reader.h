// TreeReader: takes a YAML tree apart strictly. What does not fit comes out as if it were absent,
// and reading may go on: mistakes are gathered, each with its place.
#pragma once

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "files/yaml_tree.h"

namespace rocktune {

class TreeReader {
 public:
  // `remedy` ends every message: what to do about a file that does not fit.
  TreeReader(std::string file, std::string remedy)
      : file_(std::move(file)), remedy_(std::move(remedy)) {}

  // Whether it is a map with these keys, each once, and no others. `optional` ones may be absent.
  bool map(const RawNode& node, std::initializer_list<std::string_view> keys,
           std::initializer_list<std::string_view> optional = {});
  // Of a map that was checked; an empty node where there is none.
  static const RawNode& at(const RawNode& map, std::string_view key);

  // A finite number of at least `least`.
  template <class Number>
  Number number(const RawNode& node, Number least = std::numeric_limits<Number>::lowest()) {
    Number value{};
    const char* const end = node.text.data() + node.text.size();
    const auto [rest, error] = std::from_chars(node.text.data(), end, value);
    bool good = node.kind == RawNode::Kind::kScalar && error == std::errc() && rest == end;
    if constexpr (std::is_floating_point_v<Number>) good = good && std::isfinite(value);
    if (good && value >= least) return value;
    complain(node, good ? "'" + node.text + "' is less than " + std::to_string(least)
                        : "'" + shown(node) + "' is no finite number" + kind_of<Number>());
    return Number{};
  }
  std::optional<double> number_or_null(const RawNode& node);
  std::string text(const RawNode& node);
  // Empty where it is none, or not of that size.
  const std::vector<RawNode>& list(const RawNode& node);
  const std::vector<RawNode>& list(const RawNode& node, std::size_t size);

  void complain(const RawNode& node, const std::string& message) { complain(node.mark, message); }
  void complain(const Mark& mark, const std::string& message);
  // The first that was met.
  [[nodiscard]] std::optional<Error> problem() const;
  // All of them in the order of the file, one on each line.
  [[nodiscard]] Error problems() const;
  [[nodiscard]] std::size_t mistakes() const { return mistakes_.size(); }

 private:
  template <class Number>
  static constexpr const char* kind_of() {
    return std::is_integral_v<Number> ? " from 0 on, without a fraction" : "";
  }
  static std::string shown(const RawNode& node);

  struct Mistake {
    Mark mark;
    std::string message;
  };
  [[nodiscard]] std::string text_of(const Mistake& mistake) const;

  std::string file_, remedy_;
  std::vector<Mistake> mistakes_;
};

}  // namespace rocktune
