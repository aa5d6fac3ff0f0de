// The YAML files that are built into the binary: devices, configurations, workloads and scenarios,
// by name. The files in bench/devices, bench/configurations, bench/workloads and bench/scenarios
// are their only source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune::bench {

enum class BuiltinKind { kDevice, kConfigurations, kExperiment, kWorkload, kScenario };

struct Builtin {
  BuiltinKind kind;
  std::string_view name;  // the file's name without ".yaml"
  std::string_view content;
};

const std::vector<Builtin>& builtins();

struct NamedText {
  std::string name;  // for messages: the path, or "built-in <name>.yaml"
  std::string content;
};

// A text with a '/' or ".yaml" is the path of a file, anything else a built-in's name.
Result<NamedText> builtin_or_file(BuiltinKind kind, const std::string& name_or_path);

}  // namespace rocktune::bench
