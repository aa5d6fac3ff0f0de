#include "files/units.h"

#include "tests/support/catch.h"

using namespace rocktune;
using namespace std::chrono_literals;

TEST_CASE("durations", "[daemon][units]") {
  CHECK(parse_duration("500ms") == Nanoseconds(500ms));
  CHECK(parse_duration("1.5 s") == Nanoseconds(1500ms));
  CHECK(parse_duration("14d") == Nanoseconds(14 * 24h));
  CHECK(parse_duration("2m") == Nanoseconds(2min));
  CHECK(parse_duration("2min") == Nanoseconds(2min));
  CHECK(parse_duration("250us") == Nanoseconds(250us));
  for (const char* bad : {"", "ms", "5", "5 5s", "5sec", "-5s", "1e3s", "0x5s", "5s x", "nan s",
                          "inf s", "999999999999d", "5MB"}) {
    INFO(bad);
    CHECK_FALSE(parse_duration(bad));
  }
}

TEST_CASE("sizes and rates", "[daemon][units]") {
  CHECK(parse_bytes("64MiB") == Bytes{64 << 20});
  CHECK(parse_bytes("64 MB") == Bytes{64'000'000});
  CHECK(parse_bytes("0") == Bytes{0});
  CHECK(parse_bytes("1.5KiB") == Bytes{1536});
  CHECK(parse_rate("200MB/s")->value == 200e6);
  for (const char* bad : {"64", "64M", "64mb", "64MB/s", "-1B", "64MiB2"}) {
    INFO(bad);
    CHECK_FALSE(parse_bytes(bad));
  }
  CHECK_FALSE(parse_rate("200MB"));
  CHECK_FALSE(parse_rate("200MB/m"));
  CHECK(parse_bytes("64").error().message == "'64' has no unit; write for example 64MiB");
}

TEST_CASE("plain numbers take no trailing junk", "[daemon][units]") {
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_number("0.25") == 0.25);
  for (const char* bad : {"", "1x", "1.5", "1 2", "99999999999999999999"}) {
    INFO(bad);
    CHECK_FALSE(parse_integer(bad));
  }
  for (const char* bad : {"", "1x", "nan", "inf", "1,5"}) {
    INFO(bad);
    CHECK_FALSE(parse_number(bad));
  }
}

TEST_CASE("what is printed reads back the same", "[daemon][units]") {
  for (const char* text : {"500ms", "15s", "14d", "1h", "90s", "1m", "250us", "1500ms"}) {
    INFO(text);
    const auto value = parse_duration(text);
    REQUIRE(value);
    CHECK(parse_duration(format_duration(*value)) == *value);
  }
  CHECK(format_duration(500ms) == "500ms");
  CHECK(format_duration(14 * 24h) == "14d");
  CHECK(format_bytes(64_MiB) == "64MiB");
  CHECK(format_bytes(Bytes{64'000'000}) == "64MB");
  CHECK(format_rate({200e6}) == "200MB/s");
  CHECK(format_rate({10.0 * (1 << 20)}) == "10MiB/s");
}
