// What an agent costs whose answers are none, or are large.
#include "daemon/agents/allowance.h"

#include "daemon/agents/pause.h"
#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

TEST_CASE("an agent whose answers are none is left alone for ever longer, up to a minute",
          "[daemon][agents]") {
  Pause pause;
  Nanoseconds now = 100s;
  CHECK_FALSE(pause.lasts(now));
  for (const auto length : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    pause.begin(now);
    CHECK(pause.lasts(now + length - 1ms));
    now += length;
    CHECK_FALSE(pause.lasts(now));
  }
  pause.end();
  pause.begin(now);
  CHECK_FALSE(pause.lasts(now + 1s));
}

TEST_CASE("what one user's agents answer is bounded for each poll", "[daemon][agents]") {
  constexpr std::size_t kAll = Allowance::kEachPoll;
  Allowance allowance(1000);
  CHECK(allowance.take(kAll - 1));
  CHECK_FALSE(allowance.spent());
  const Result<void> refused = allowance.take(2);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kUnavailable);
  CHECK(refused.error().message.find("uid 1000") != std::string::npos);
  CHECK(allowance.spent());

  // What came in at a time is missing from the next polls.
  CHECK_FALSE(allowance.take(2 * kAll));
  allowance.next_poll();
  allowance.next_poll();
  CHECK(allowance.spent());
  allowance.next_poll();
  CHECK_FALSE(allowance.spent());
  allowance.next_poll();
  allowance.next_poll();
  CHECK(allowance.take(kAll));  // nothing is saved up
  CHECK(allowance.spent());
}
