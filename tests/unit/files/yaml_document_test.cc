#include "files/yaml_document.h"

#include "tests/support/catch.h"

namespace rocktune {
namespace {

// "line:column: message" of a text that is refused.
std::string refusal_of(const std::string& text) {
  try {
    load_yaml_document(text);
  } catch (const YAML::ParserException& error) {
    return std::to_string(error.mark.line + 1) + ":" + std::to_string(error.mark.column + 1) +
           ": " + error.msg;
  }
  return "taken";
}

TEST_CASE("a file holds one document", "[files]") {
  CHECK(load_yaml_document("a: 1\n")["a"].as<int>() == 1);
  CHECK(load_yaml_document("").IsNull());
  CHECK(load_yaml_document("# nothing\n").IsNull());
  CHECK(load_yaml_document("---\na: 1\n...\n---\n---\n# the end\n")["a"].as<int>() == 1);
  const std::string second = ": a second document begins here: a file holds one";
  CHECK(refusal_of("a: 1\n---\nb: 1\n") == "3:1" + second);
  CHECK(refusal_of("---\n---\n  [b]\n") == "3:3" + second);
  CHECK(refusal_of("a: 1\n--- text\n") == "2:5" + second);
}

TEST_CASE("what belongs to no document has a place, and an end", "[files]") {
  const std::string stray = ": this belongs to no document";
  CHECK(refusal_of(",") == "1:1" + stray);
  CHECK(refusal_of("# only\n, 0, 1\n") == "2:1" + stray);
  CHECK(refusal_of("[0]\n, 1\n") == "2:1" + stray);
  CHECK(refusal_of("---\n---\n,\n") == "3:1" + stray);
  CHECK(refusal_of("a: 1\n]\n") == "2:1: illegal flow end");
}

TEST_CASE("a tab in the indentation is named", "[files]") {
  const std::string hint = ": a tab is in this line's indentation, where YAML takes spaces alone";
  CHECK(refusal_of("a:\n\tb: 1\n") == "2:3: illegal map value" + hint);
  CHECK(refusal_of("a:\n\t- x\n") == "2:2: illegal block entry" + hint);
  CHECK(refusal_of("a:\n  b: 1\tc: 2\n") == "2:9: illegal map value");  // elsewhere in the line
}

}  // namespace
}  // namespace rocktune
