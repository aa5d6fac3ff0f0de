// The YAML files that are built into the binary: devices, configurations, workloads and scenarios,
// by name. The files in this part's folders of these names are their only source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune::scenario {

struct Builtin {
  std::string_view name;  // the file's name without ".yaml"
  std::string_view content;
};
using Builtins = std::vector<Builtin>;

const Builtins& builtin_devices();
const Builtins& builtin_configurations();
const Builtins& builtin_workloads();
const Builtins& builtin_scenarios();

struct NamedText {
  std::string name;  // for messages: the path, or "built-in <name>.yaml"
  std::string content;
};

// A text with a '/' or ".yaml" at its end is the path of a file, anything else a built-in's name.
bool is_file(const std::string& name_or_path);

// The text of either.
// Errors: read_text_file()'s, and kNotFound, which lists the names that there are.
Result<NamedText> builtin_or_file(const Builtins& builtins, const std::string& name_or_path);

}  // namespace rocktune::scenario
