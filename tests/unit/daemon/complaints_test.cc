#include "daemon/agents/complaints.h"

#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

TEST_CASE("of one agent each kind of error is told once a minute", "[daemon]") {
  Complaints complaints;
  const auto garbage = [](int n) {
    return Error{ErrorCode::kProtocol, "garbage " + std::to_string(n)};
  };
  CHECK(complaints.pass(garbage(0), 0s) == 0U);
  complaints.told(garbage(0));
  CHECK_FALSE(complaints.pass(garbage(0), 0s));
  for (int n = 1; n < 120; ++n) CHECK_FALSE(complaints.pass(garbage(n), n * 500ms));

  const Error slow{ErrorCode::kUnavailable, "no answer in time"};
  CHECK(complaints.pass(slow, 59s) == 0U);  // another kind
  complaints.told(slow);
  CHECK(complaints.pass(garbage(120), 60s) == 119U);
  complaints.told(garbage(120));
  CHECK_FALSE(complaints.pass(garbage(120), 200s));  // as before: nothing new
  complaints.answers();
  CHECK(complaints.pass(garbage(120), 200s) == 0U);
}

TEST_CASE("what its user's limit keeps back costs an agent's error no turn", "[daemon]") {
  Complaints complaints;
  const auto garbage = [](int n) {
    return Error{ErrorCode::kProtocol, "garbage " + std::to_string(n)};
  };
  CHECK(complaints.pass(garbage(0), 0s) == 0U);
  complaints.told(garbage(0));
  for (int n = 1; n <= 3; ++n) CHECK_FALSE(complaints.pass(garbage(n), 1s));
  CHECK(complaints.pass(garbage(4), 60s) == 3U);
  complaints.not_told(garbage(4), 3);
  CHECK(complaints.pass(garbage(5), 90s) == 3U);  // at once, with those held back
  complaints.told(garbage(5));
  CHECK_FALSE(complaints.pass(garbage(6), 149s));  // a minute after the one that was told
  CHECK(complaints.pass(garbage(6), 150s) == 1U);
}
