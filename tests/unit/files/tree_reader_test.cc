#include "files/tree_reader.h"

#include "tests/support/catch.h"

namespace rocktune {
namespace {

RawNode tree_of(const char* text) {
  auto root = parse_yaml_tree(text, "f.yaml");
  if (!root) FAIL(root.error().message);
  return *std::move(root);
}

TEST_CASE("every mistake is told, in the order of the file", "[files]") {
  const RawNode root = tree_of("a: x\nb: [1]\nb: 2\nc: 3\n");
  TreeReader reader("f.yaml", "; mend it");
  CHECK_FALSE(reader.map(root, {"a", "b", "d"}));
  CHECK(reader.number<int>(TreeReader::at(root, "a")) == 0);
  CHECK(reader.mistakes() == 4);
  CHECK(reader.problem()->message == "f.yaml:3:1: 'b' is given twice; mend it");
  CHECK(reader.problems().message ==
        "f.yaml:1:1: 'd' is missing; mend it\n"
        "f.yaml:1:4: 'x' is no finite number from 0 on, without a fraction; mend it\n"
        "f.yaml:3:1: 'b' is given twice; mend it\n"
        "f.yaml:4:1: 'c' is not known here; mend it");
}

TEST_CASE("what does not fit is absent, whatever was wrong before it", "[files]") {
  const RawNode root = tree_of("a: x\nb: [1, 2]\nc: {d: 1}\n");
  TreeReader reader("f.yaml", "");
  CHECK(reader.list(TreeReader::at(root, "a"), 2).empty());
  CHECK(reader.list(TreeReader::at(root, "b"), 1).empty());
  CHECK(reader.list(TreeReader::at(root, "b"), 2).size() == 2);
  CHECK(reader.mistakes() == 2);
  CHECK(reader.map(TreeReader::at(root, "c"), {"d"}));
}

}  // namespace
}  // namespace rocktune
