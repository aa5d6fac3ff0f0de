// The one document of a YAML text. Every file that people write is read through here: by itself,
// yaml-cpp reads what comes after the first document as if it were not there, or without end (0.7:
// YAML::LoadAll takes a comma between documents for null documents, again and again).
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace rocktune {

// What follows the document: valid YAML, but of no file of ours.
struct MoreThanOneDocument : YAML::ParserException {
  using YAML::ParserException::ParserException;
};

// Null for an empty text. Throws YAML::ParserException with the place: broken YAML, what can begin
// no document, or MoreThanOneDocument: a second one that is not empty.
YAML::Node load_yaml_document(const std::string& text);

}  // namespace rocktune
