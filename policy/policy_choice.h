// A policy as the user chose it: NAME, NAME:param=value:param=value, or LABEL=NAME:... Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/engine_config.h"
#include "model/result.h"

namespace rocktune {

struct PolicyChoice {
  std::string label;  // what results call it; as written, where no LABEL was given
  std::string name;
  PolicyParams params;  // those that were given
};

// How to write one; part of every command's help that takes some.
inline constexpr const char* kPolicyChoiceHelp =
    "A policy is NAME, NAME:param=value:param=value, or LABEL=NAME:param=value. Parameters that "
    "are not given are as recorded where that policy ran, and at their defaults elsewhere.";

// Errors: what is no choice, a policy or a parameter that is not there, a value out of its range.
Result<PolicyChoice> parse_policy_choice(std::string_view text);
// The same for each, and a label that two of them have.
Result<std::vector<PolicyChoice>> parse_policy_choices(const std::vector<std::string>& texts);

// "silk:min_compaction=2": a choice in its shortest form.
std::string choice_text(const std::string& name, const PolicyParams& params);

// Everything that a policy is given in a recorded run, with the chosen policy in place of the one
// that ran. Parameters of another policy are dropped.
EngineConfig engine_of(const EngineConfig& recorded, const PolicyChoice& choice);

}  // namespace rocktune
