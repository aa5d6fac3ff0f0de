#include "bench/trial/alert_tail.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"

using rocktune::bench::AlertTail;
using rocktune::bench::describe_alert;

TEST_CASE("what a record means, in one line", "[bench][demo]") {
  CHECK(
      describe_alert(R"({"kind":"alert","indicator":"p99","state":"warning","message":"soon"})") ==
      "alert     p99 warning: soon");
  CHECK(
      describe_alert(
          R"({"kind":"decision","id":"4-1","knob":"rate_limiter_bytes_per_second","from":12500000,)"
          R"("to":99000000,"rule":"limiter.backlog","reason":"it binds",)"
          R"("verdict":{"kind":"clamped","value":50000000}})") ==
      "decision  4-1 (limiter.backlog)  rate_limiter_bytes_per_second 12 MiB/s -> 48 MiB/s: it "
      "binds");
  CHECK(describe_alert(R"({"kind":"alert","indicator":"p99","state":"ok","message":"over"})") ==
        "alert     p99 cleared: over");
  CHECK(describe_alert(R"({"kind":"outcome","id":"4-1","result":"better","measured":1,)"
                       R"("reason":"it fell"})") == "outcome   of 4-1: better, it fell");
  CHECK_FALSE(describe_alert(R"({"kind":"outcome","id":"4-1","result":"unknown"})"));
  CHECK_FALSE(describe_alert(R"({"kind":"decision","verdict":{"kind":"held"}})"));
  CHECK_FALSE(describe_alert(R"({"kind":"actuation","status":"applied"})"));
  CHECK(describe_alert(R"({"kind":"actuation","status":"failed","reason":"no"})") ==
        "actuation failed: no");
  CHECK(describe_alert("{half")->find("unreadable") != std::string::npos);
  CHECK(describe_alert(R"({"kind":7})").has_value());
}

TEST_CASE("knob values carry their unit", "[bench][demo]") {
  const auto from = [](const std::string& knob, const std::string& value) {
    const auto line =
        describe_alert(R"({"kind":"decision","knob":")" + knob + R"(","from":)" + value +
                       R"(,"verdict":{"kind":"allowed","value":)" + value + "}}");
    const std::string head = "decision   ()  " + knob + " ";
    REQUIRE(line->starts_with(head));
    return line->substr(head.size(), line->find(" -> ") - head.size());
  };
  CHECK(from("rate_limiter_bytes_per_second", "12500000") == "12 MiB/s");
  CHECK(from("rate_limiter_bytes_per_second", "1099511627776") == "unlimited");
  CHECK(from("max_background_jobs", "4") == "4");
  CHECK(from("block_cache_capacity_bytes", "33554432") == "32 MiB");
  CHECK(from("write_buffer_size", "2097152") == "2 MiB");
  CHECK(from("write_buffer_size", "null") == "?");
}

TEST_CASE("a warning says where it comes from, and how likely it is", "[bench][demo]") {
  const auto warning = [](const std::string& more) {
    return *describe_alert(
        R"({"kind":"alert","indicator":"compaction_backlog","state":"warning",)" + more +
        R"("message":"L0 has 5 of 20 files"})");
  };
  CHECK(warning(R"("from":"critical","probability":0.25,"valid":true,)") ==
        "alert     compaction_backlog critical -> warning (25%): L0 has 5 of 20 files");
  CHECK(warning(R"("from":"ok","probability":0.25,"valid":false,)") ==
        "alert     compaction_backlog ok -> warning: L0 has 5 of 20 files");
}

TEST_CASE("following a log that grows by pieces of lines", "[bench][demo]") {
  char directory[] = "/tmp/rocktune-tail.XXXXXX";
  REQUIRE(mkdtemp(directory) != nullptr);
  const std::string path = std::string(directory) + "/alerts.jsonl";
  AlertTail tail(path);
  CHECK(tail.poll().empty());
  std::ofstream out(path);
  out << "one\ntw" << std::flush;
  CHECK(tail.poll() == std::vector<std::string>{"one"});
  out << "o\nthree\n" << std::flush;
  CHECK(tail.poll() == std::vector<std::string>{"two", "three"});
  CHECK(tail.poll().empty());
  std::filesystem::remove_all(directory);
}
