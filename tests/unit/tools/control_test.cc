#include "tools/control.h"

#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;

TEST_CASE("an answer of the daemon is decoded, or becomes its error", "[tools]") {
  const auto good = decode_answer(200, R"({"results":[]})");
  REQUIRE(good);
  CHECK(good->contains("results"));
  for (const char* body : {"", "[]", "null", "{", "nonsense"})
    CHECK_FALSE(decode_answer(200, body));

  const auto refused =
      decode_answer(404, R"({"error":{"code":"not_found","message":"there is no target \"x\""}})");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kNotFound);
  CHECK(refused.error().message == "there is no target \"x\"");
  for (const char* body : {"", "{}", R"({"error":7})", R"({"error":{"message":7}})"}) {
    const auto failed = decode_answer(500, body);
    REQUIRE_FALSE(failed);
    CHECK(contains(failed.error().message, "500"));
  }
}

TEST_CASE("the results of a change are a table, and fail when one failed", "[tools]") {
  const auto report = change_report(Json::parse(R"({"results":[
    {"target":"a","knob":"max_background_jobs","status":"applied","reason":"","before":8,"after":2},
    {"target":"a","knob":"rate_limiter_bytes_per_second","status":"unchanged","reason":"",
     "before":4194304,"after":4194304}]})"));
  REQUIRE(report);
  CHECK(report->exit_code == 0);
  REQUIRE(report->lines.size() == 2);
  CHECK(contains(report->lines[0], "8 -> 2"));
  CHECK(contains(report->lines[1], "4 MiB/s"));
  const auto left = change_report(Json::parse(R"({"results":[{"target":"a","knob":"k",
    "status":"manual","reason":"somebody else set it: it is left as it is"}]})"));
  REQUIRE(left);
  CHECK(left->exit_code == 0);
  CHECK(left->left_alone);
  CHECK_FALSE(report->left_alone);
  CHECK(contains(left->lines[0], "somebody else set it"));

  const auto failed = change_report(Json::parse(
      R"({"results":[{"target":"a","knob":"k","column_family":"index","status":"refused",
         "reason":"read-only"}]})"));
  REQUIRE(failed);
  CHECK(failed->exit_code == 1);
  CHECK(contains(failed->lines[0], "read-only"));
  CHECK(contains(failed->lines[0], "k of index"));
  CHECK(change_report(Json::parse(R"({"results":[]})"))->lines.size() == 1);
  for (const char* text : {"{}", R"({"results":[{}]})", R"({"results":[7]})",
                           R"({"results":[{"target":1,"knob":"k","status":"s"}]})"}) {
    CHECK_FALSE(change_report(Json::parse(text)));
  }
}

TEST_CASE("a socket that nobody serves is named with what to do", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  const auto none = ask_daemon(directory.file("none.sock"), "GET", "/v1/status");
  REQUIRE_FALSE(none);
  CHECK(contains(none.error().message, directory.file("none.sock")));
  CHECK(contains(none.error().message, "is rocktuned running?"));
  CHECK(contains(none.error().message, "`rocktune knobs` shows what stands changed"));
  CHECK_FALSE(ask_daemon(directory.write("file", "text"), "GET", "/v1/status"));
  CHECK_FALSE(ask_daemon(std::string(200, 'x'), "GET", "/v1/status"));
}
