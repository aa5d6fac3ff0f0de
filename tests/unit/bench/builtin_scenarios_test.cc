#include <set>
#include <string>

#include "bench/compare/policies.h"
#include "bench/compare/search.h"
#include "bench/config/builtin.h"
#include "bench/scenario/scenario.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;

TEST_CASE("the built-in scenarios are sound at both sizes", "[bench][compare]") {
  std::set<std::string> names;
  for (const Builtin& builtin : builtins()) {
    if (builtin.kind != BuiltinKind::kScenario) continue;
    const std::string name(builtin.name);
    INFO(name);
    names.insert(name);
    const auto scaled = load_scenario(name, false);
    if (!scaled) FAIL(scaled.error().message);
    const auto full = load_scenario(name, true);
    if (!full) FAIL(full.error().message);
    CHECK(scaled->name == name);
    CHECK_FALSE(scaled->description.empty());
    CHECK(scaled->seconds() <= 60);
    CHECK(scaled->scale >= 16);
    CHECK(full->scale == 1);
    CHECK(full->seconds() > scaled->seconds());
    CHECK_FALSE(scaled->objective.limits.empty());
    CHECK(scaled->objective.jobs.has_value());
    // Every policy can be set up for it, within the CPUs that a small machine lends.
    const auto settings = static_settings(*scaled);
    REQUIRE(settings);
    CHECK(settings->size() > 6);
    CHECK(settings->size() < 25);
    CHECK(policy_setup(kNativeAutoTuned, *scaled, {}));
    CHECK(policy_setup("headroom", *scaled, {})->daemon);
  }
  CHECK(names == std::set<std::string>{"baseline", "cache-outgrown", "degrading-device", "diurnal",
                                       "mild-pressure", "overload", "steady", "two-databases",
                                       "write-burst"});
}
