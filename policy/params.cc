#include "policy/params.h"

#include <algorithm>
#include <string>

#include "model/text.h"

namespace rocktune {
namespace {

std::string known_names(const std::vector<ParamSpec>& specs) {
  if (specs.empty()) return "it takes none";
  std::string names;
  for (const ParamSpec& spec : specs) {
    if (!names.empty()) names += ", ";
    names += spec.name;
  }
  return "known ones: " + names;
}

std::string complaint(const std::string& name, double value, const ParamSpec* spec) {
  if (spec == nullptr) return "unknown parameter \"" + name + "\"";
  return "parameter \"" + name + "\" is " + text::exact(value) + ", but has to be from " +
         text::exact(spec->min) + " to " + text::exact(spec->max);
}

}  // namespace

Result<void> read_params(std::string_view policy, const PolicyParams& params,
                         const std::vector<ParamSpec>& specs) {
  std::string complaints;
  for (const auto& [name, value] : params) {
    auto known = [&name = name](const ParamSpec& spec) { return spec.name == name; };
    auto spec = std::find_if(specs.begin(), specs.end(), known);
    if (spec != specs.end() && value >= spec->min && value <= spec->max) {
      *spec->target = value;
      continue;
    }
    if (!complaints.empty()) complaints += "; ";
    complaints += complaint(name, value, spec == specs.end() ? nullptr : &*spec);
  }
  if (complaints.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, "policy " + std::string(policy) + ": " + complaints +
                                               " (" + known_names(specs) + ")");
}

}  // namespace rocktune
