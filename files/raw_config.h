// RawConfig: the config file as it stands, every scalar with the line and column it came from, and
// what was given besides the file. What is not YAML at all is an error of parse_yaml();
// everything else is found by finalize(), all at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/yaml_tree.h"

namespace rocktune {

// A value given besides the file. Later overrides win over earlier ones.
struct Override {
  std::string key;  // dotted: "daemon.mode"
  std::string text;
  std::string origin;  // "environment ROCKTUNED_DAEMON_MODE", "command line --mode"
};

struct RawConfig {
  std::string file;  // as errors and origins name it; empty: there is no file
  RawNode root;
  std::vector<Override> overrides;
};

// A file as it stands, without overrides; errors as of parse_yaml_tree().
Result<RawConfig> parse_yaml(std::string_view text, const std::string& file);

}  // namespace rocktune
