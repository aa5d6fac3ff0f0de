#include "model/text.h"

#include <limits>

#include "tests/support/catch.h"

using namespace rocktune;

TEST_CASE("numbers read well", "[text]") {
  CHECK(text::amount(17) == "17");
  CHECK(text::amount(0.8) == "0.8");
  CHECK(text::amount(0.04) == "0.04");
  CHECK(text::amount(-0.0) == "0");
  CHECK(text::bytes(512) == "512 B");
  CHECK(text::bytes(17.26 * (1 << 20)) == "17 MiB");
  CHECK(text::rate(1.5 * (1 << 30)) == "1.5 GiB/s");
  CHECK(text::microseconds(850) == "850 us");
  CHECK(text::microseconds(4200) == "4.2 ms");
  CHECK(text::duration(0.4) == "0.4 s");
  CHECK(text::duration(0.98) == "1 s");
  CHECK(text::duration(0.04) == "0 s");
  CHECK(text::duration(4.4) == "4 s");
  CHECK(text::duration(600) == "10 min");
  CHECK(text::percent(0.347) == "35%");
  CHECK(text::rfc3339(Nanoseconds(0)) == "1970-01-01T00:00:00.000Z");
  CHECK(text::rfc3339(std::chrono::milliseconds(1769860800250)) == "2026-01-31T12:00:00.250Z");
  CHECK(text::rfc3339(Nanoseconds(1769860800250999999)) == "2026-01-31T12:00:00.250Z");
  CHECK(text::rfc3339(Nanoseconds(-1)) == "1969-12-31T23:59:59.999Z");
  CHECK(text::moment(std::chrono::milliseconds(1795856111628)) == "261128-085511.628");
  CHECK(text::moment(Nanoseconds{0}) == "700101-000000.000");
  CHECK(text::number(std::numeric_limits<double>::infinity(), 1) == "huge");
}
