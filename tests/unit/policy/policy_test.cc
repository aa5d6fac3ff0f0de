#include "policy/policy.h"

#include "tests/support/catch.h"

using namespace rocktune;

TEST_CASE("policies are made by name", "[policy]") {
  for (const std::string& name : policy_names()) {
    auto policy = make_policy(name, {});
    REQUIRE(policy);
    CHECK((*policy)->decide({Features(), {}, Objective(), Budget()}).empty());  // nothing is read
  }
  CHECK(make_policy("headroom", {{"jobs_return_seconds", 120}, {"limiter_raise_factor", 1.5}}));
}

TEST_CASE("an unknown policy is named together with the known ones", "[policy]") {
  auto policy = make_policy("slik", {});
  REQUIRE_FALSE(policy);
  CHECK(policy.error().code == ErrorCode::kInvalidArgument);
  CHECK(policy.error().message ==
        "unknown policy \"slik\" (known ones: headroom, static, rocksdb-auto-tuned, silk, adoc, "
        "write-amp-limiter, cockroach-l0)");
}

TEST_CASE("all wrong parameters are named at once", "[policy]") {
  auto policy = make_policy("headroom", {{"speed", 3}, {"cache_growth_factor", 9}});
  REQUIRE_FALSE(policy);
  const std::string& message = policy.error().message;
  CHECK(message.find("unknown parameter \"speed\"") != std::string::npos);
  CHECK(message.find("\"cache_growth_factor\" is 9, but has to be from 1.05 to 1.5") !=
        std::string::npos);
  CHECK(message.find("limiter_lower_factor") != std::string::npos);
  auto still = make_policy("static", {{"speed", 3}});
  REQUIRE_FALSE(still);
  CHECK(still.error().message.find("it takes none") != std::string::npos);
}
