// RawConfig: the config file as it stands, every scalar with the line and column it came from.
//
// Nothing is interpreted yet: keys keep their order and their duplicates, values are text. What is
// not YAML at all is an error here; everything else is found by finalize(), all at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune::daemon {

struct Mark {
  int line = 0;  // from 1; 0: no place in a file
  int column = 0;
};

struct RawEntry;

struct RawNode {
  enum class Kind { kNull, kScalar, kMap, kList };
  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;               // of a scalar
  std::vector<RawEntry> entries;  // of a map, duplicates included
  std::vector<RawNode> items;     // of a list
};

struct RawEntry {
  std::string key;
  Mark mark;
  RawNode value;
};

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

// The error of broken YAML is "file:line:col: message".
Result<RawConfig> parse_yaml(std::string_view text, const std::string& file);

}  // namespace rocktune::daemon
