#include "scenario/overlay.h"

#include <algorithm>
#include <optional>
#include <string>

namespace rocktune::scenario {
namespace {

std::optional<std::string> name_of_element(const YAML::Node& element) {
  if (!element.IsMap()) return std::nullopt;
  for (const auto& entry : element) {
    if (entry.first.Scalar() == "name" && entry.second.IsScalar()) return entry.second.Scalar();
  }
  return std::nullopt;
}

bool is_named_list(const YAML::Node& node) {
  return node.IsSequence() && node.size() > 0 &&
         std::all_of(node.begin(), node.end(),
                     [](const YAML::Node& element) { return name_of_element(element); });
}

void overlay_list(const YAML::Node& base, const YAML::Node& over, Problems& problems) {
  for (const YAML::Node& element : over) {
    const std::string name = *name_of_element(element);
    const auto found = std::find_if(base.begin(), base.end(), [&](const YAML::Node& candidate) {
      return name_of_element(candidate) == name;
    });
    if (found == base.end()) {
      problems.add(element.Mark(), "full", "there is no '" + name + "' in this list to change");
    } else {
      overlay(*found, element, problems);
    }
  }
}

}  // namespace

void overlay(YAML::Node base, const YAML::Node& over, Problems& problems) {
  for (const auto& entry : over) {
    YAML::Node below;
    bool found = false;
    for (const auto& candidate : base) {
      if (candidate.first.Scalar() != entry.first.Scalar()) continue;
      below = candidate.second;
      found = true;
      break;
    }
    if (found && below.IsMap() && entry.second.IsMap()) {
      overlay(below, entry.second, problems);
    } else if (found && is_named_list(below) && is_named_list(entry.second)) {
      overlay_list(below, entry.second, problems);
    } else if (found) {
      base[entry.first.Scalar()] = entry.second;
    } else {
      base.force_insert(entry.first, entry.second);  // the key keeps its place, too
    }
  }
}

}  // namespace rocktune::scenario
