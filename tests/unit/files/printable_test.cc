// What others gave plays with no terminal.
#include "files/printable.h"

#include "tests/support/catch.h"

using namespace rocktune;

TEST_CASE("control characters are not shown", "[files]") {
  CHECK(printable("a\x1b[31mb\n") == "a?[31mb?");
  CHECK(printable("a\xc2\x9b"
                  "31m\xc2\x80") == "a?31m?");  // CSI of its own
  CHECK(printable("caf\xc3\xa9 5 \xc2\xb5s \xc2") == "caf\xc3\xa9 5 \xc2\xb5s \xc2");
}
