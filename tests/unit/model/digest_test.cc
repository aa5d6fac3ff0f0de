#include "model/digest.h"

#include "tests/support/catch.h"

using namespace rocktune;

TEST_CASE("a digest is 64-bit FNV-1a", "[model]") {
  // The vectors of the algorithm's authors.
  CHECK(digest("") == "cbf29ce484222325");
  CHECK(digest("a") == "af63dc4c8601ec8c");
  CHECK(digest("foobar") == "85944171f73967e8");
}
