// RawNode: a YAML text as it stands, every node with the line and column it came from. Nothing is
// interpreted: keys keep their order and their duplicates, values are text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune {

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

// Of one document (files/yaml_document.h). The error is "file:line:col: message"; nested too
// deeply, or too many values (aliases can make a small file an endless one) is an error too.
Result<RawNode> parse_yaml_tree(std::string_view text, const std::string& file);

}  // namespace rocktune
