#include "tools/text.h"

#include <limits>

#include "tests/support/catch.h"

using namespace rocktune::tools;

TEST_CASE("numbers in the units that people read", "[tools]") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1024) == "1 KiB");
  CHECK(bytes_text(1.5 * (1 << 30)) == "1.5 GiB");
  CHECK(bytes_text(1048575) == "1.0 MiB");
  CHECK(rate_text(4 << 20) == "4 MiB/s");
  CHECK(count_text(0) == "0");
  CHECK(count_text(0.25) == "0.2");
  CHECK(count_text(950) == "950");
  CHECK(count_text(12345) == "12.3k");
  CHECK(count_text(999'600) == "1.00M");
  CHECK(seconds_text(0.25) == "250 ms");
  CHECK(seconds_text(12) == "12.0 s");
  CHECK(seconds_text(303) == "5m 03s");
  CHECK(seconds_text(7500) == "2h 05m");
  CHECK(seconds_text(86400 * 3 + 4 * 3600) == "3d 4h");
  CHECK(seconds_text(-2) == "-2.0 s");
  CHECK(microseconds_text(85) == "85 us");
  CHECK(microseconds_text(1234) == "1.2 ms");
  CHECK(percent_text(0.64) == "64 %");
  CHECK(percent_text(0.034) == "3.4 %");
  CHECK(percent_text(0) == "0 %");
}

TEST_CASE("knobs and features in their own units", "[tools]") {
  CHECK(knob_text("rate_limiter_bytes_per_second", 4 << 20) == "4 MiB/s");
  CHECK(knob_text("rate_limiter_bytes_per_second", std::int64_t{1} << 40) == "unlimited");
  CHECK(knob_text("max_background_jobs", 4) == "4");
  CHECK(knob_text("block_cache_capacity_bytes", 512 << 20) == "512 MiB");
  CHECK(knob_text("rate_limiter_limit_flushes", 0) == "off");
  CHECK(knob_text("rate_limiter_limit_reads", 1) == "on");
  CHECK(knob_text("bytes_per_sync", 1 << 20) == "1 MiB");
  CHECK(knob_text("max_open_files", -1) == "no limit");
  CHECK(knob_text("max_open_files", 512) == "512");
  CHECK(knob_text("some_other", 7) == "7");
  CHECK(feature_text("flush_bytes_per_second", 1 << 20) == "1 MiB/s");
  CHECK(feature_text("reads_per_second", 12345) == "12.3k/s");
  CHECK(feature_text("read_p99_us", 1234) == "1.2 ms");
  CHECK(feature_text("device_read_await_ms", 0.5) == "500 us");
  CHECK(feature_text("l0_ratio", 0.712345) == "0.7123");
  CHECK(feature_text("forecast", 0.0009) == "0.1 %");
}

TEST_CASE("limits that are off have words", "[tools]") {
  for (const char* knob : {"level0_slowdown_writes_trigger", "level0_stop_writes_trigger"}) {
    CHECK(knob_text(knob, 2147483647) == "no limit");
    CHECK(knob_text(knob, -1) == "no limit");
    CHECK(knob_text(knob, 20) == "20");
  }
  for (const char* knob :
       {"soft_pending_compaction_bytes_limit", "hard_pending_compaction_bytes_limit"}) {
    CHECK(knob_text(knob, 0) == "no limit");
    CHECK(knob_text(knob, std::numeric_limits<std::int64_t>::max()) == "no limit");
    CHECK(knob_text(knob, std::int64_t{64} << 30) == "64 GiB");
  }
  CHECK(knob_text("rate_limiter_bytes_per_second", 0) == "none");
  CHECK(knob_text("delayed_write_rate", 0) == "0 B/s");
  CHECK(knob_text("delayed_write_rate", std::int64_t{1} << 40) == "unlimited");
  CHECK(limit_text("l0_slowdown_files", 2147483647) == "no limit");
  CHECK(limit_text("l0_files", 20) == "20");
  CHECK(limit_text("pending_bytes", 0) == "no limit");
  CHECK(limit_text("pending_soft_bytes", 9.3e18) == "no limit");
  CHECK(limit_text("pending_hard_bytes", 1 << 20) == "1 MiB");
  CHECK(limit_text("cache_capacity_bytes", 0) == "0 B");  // no room is not any room
}

TEST_CASE("seconds among the evidence have their unit", "[tools]") {
  CHECK(feature_text("l0_compaction_begins_seconds", 1.758) == "1.8 s");
  CHECK(feature_text("seconds_since_event", 0.25) == "250 ms");
  CHECK(of_limit("l0_files", 20) == " of 20");
  CHECK(of_limit("pending_bytes", 0) == " (no limit)");
}

TEST_CASE("text is clipped by what is seen, not by bytes", "[tools]") {
  CHECK(display_width("\xc3\xa4\xc3\xb6") == 2);
  CHECK(clipped("abcdef", 6) == "abcdef");
  CHECK(clipped("abcdefg", 6) == "abc...");
  CHECK(clipped("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9", 4) == "\xc3\xa4...");
  CHECK(clipped("abcdef", 2) == "..");
}

TEST_CASE("tables are aligned and end without blanks", "[tools]") {
  CHECK(table({{"a", "bbb", "c"}, {"aaaa", "b", ""}}, "> ") ==
        std::vector<std::string>{"> a     bbb  c", "> aaaa  b"});
}

TEST_CASE("words are wrapped, and none is cut", "[tools]") {
  CHECK(wrapped("one two  three\nfour", 8) == std::vector<std::string>{"one two", "three", "four"});
  CHECK(wrapped("incomprehensible a b", 3) == std::vector<std::string>{"incomprehensible", "a b"});
  CHECK(wrapped("").empty());
}

TEST_CASE("a mistyped word finds its like, another does not", "[tools]") {
  const std::vector<std::string> known = {"run", "status", "watch", "replay"};
  CHECK(closest("statsu", known) == "status");
  CHECK(closest("relay", known) == "replay");
  CHECK(closest("rnu", known) == "run");
  CHECK(closest("nonsense", known).empty());
}
