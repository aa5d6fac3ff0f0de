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
