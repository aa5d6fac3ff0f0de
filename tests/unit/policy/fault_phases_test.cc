// For each of headroom's loops and each fault: just before a change, so that the fault meets it as
// it is made, and while it is judged. Nothing is proposed on stale data, the guard's limits hold
// (FaultWitness checks at every step), and control resumes.
#include <algorithm>
#include <array>
#include <string_view>

#include "tests/unit/policy/fault_scenes.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// What was changed is as it was found afterwards.
bool returns_all(const Fault& fault) {
  return fault.name == "reopened" || fault.name.ends_with("lease expired");
}

// While these last a loop may see enough, and change its knob.
bool lets_change(const Fault& fault) {
  constexpr std::array<std::string_view, 7> kLets{"device source gone",
                                                  "indicators invalid",
                                                  "a sample late",
                                                  "every other change refused",
                                                  "no answer, and made all the same",
                                                  "reads back less",
                                                  "reads back more"};
  return std::find(kLets.begin(), kLets.end(), fault.name) != kLets.end();
}

// The scene's own loop makes a change once the fault is over. Three exceptions, where its reason is
// gone by then:
// - Buffers are wanted in the rush of the first seconds only, before writes are delayed: after a
//   fault that took those, or refused that wish, the stall is another loop's to end.
// - Where every other change is refused it is always level 0's trigger that is, and the buffers
//   (`before` the fault there were so many changes) that save the writes instead.
// - Compactions wait for a load that is new and may go: who has seen nothing else for minutes, or
//   has had a limit of this kind returned, lends nothing.
void check_resumes(FaultLoop& loop, const Scene& scene, const Fault& fault, std::size_t before) {
  const bool is_new = !returns_all(fault) && fault.name != "suspended for an hour";
  if (scene.loop == "limiter.defer" && !is_new) return;
  const double most = scene.resumes + (returns_all(fault) ? scene.within : 0);
  const bool turns = fault.name == "every other change refused";
  if (scene.loop == "buffers." || (turns && scene.loop == "l0_trigger.")) {
    const std::size_t since = turns ? before : loop.actuations.size();
    CHECK(loop.until(most, [&] { return loop.applied(since); }));
    return;
  }
  const std::size_t after = loop.decisions.size();
  // What is written may be smoothed instead (policy/smoothing.h): that asks for no new load.
  const std::string or_else = scene.loop == "limiter.defer" ? "limiter.smooth" : scene.loop;
  CHECK(loop.until(most, [&] {
    return loop.first(scene.loop, after) != nullptr || loop.first(or_else, after) != nullptr;
  }));
}

// It was told that a change of this loop was made.
bool has_made(const FaultLoop& loop, const Scene& scene) {
  for (const Actuation& one : loop.actuations) {
    const auto decision =
        std::find_if(loop.decisions.begin(), loop.decisions.end(),
                     [&](const Decision& other) { return other.id == one.decision_id; });
    const bool own =
        decision != loop.decisions.end() && decision->proposal.rule.starts_with(scene.loop);
    if (own && one.status == "applied") return true;
  }
  return false;
}

void check_before(const Scene& scene, const Fault& fault, double comes) {
  FaultLoop loop = run_into(scene, Phase::kBefore, comes, fault_config(scene.first));
  const std::size_t before = loop.actuations.size();
  put(loop, fault);
  const bool stands = *loop.value_of(scene.knob) != loop.found_of(scene.knob);
  if (lets_change(fault) && (stands || has_made(loop, scene))) return;
  CHECK_FALSE(stands);
  check_resumes(loop, scene, fault, before);
}

// Why a change's window may end without a figure: its knob was changed again, or what this fault
// does to it.
bool explains(const Fault& fault, const Outcome& outcome) {
  const auto says = [&](std::string_view words) {
    return outcome.reason.find(words) != std::string::npos;
  };
  if (says("the knob was changed again")) return true;
  if (fault.name == "suspended for an hour") return says("was not read for");
  if (fault.name == "indicators invalid") return says("was not read often enough to tell");
  // A further change of the knob was made, to another value than was asked for.
  return fault.name.starts_with("reads back") && says("somebody else changed the knob");
}

void check_judging(const Scene& scene, const Fault& fault, double comes) {
  FaultLoop loop = run_into(scene, Phase::kJudging, comes, fault_config(scene.first));
  const Decision made = *loop.first(scene.loop);
  const std::size_t before = loop.actuations.size();
  put(loop, fault);
  if (returns_all(fault)) return check_resumes(loop, scene, fault, before);
  // What was made is judged, or it is said why it cannot be.
  loop.run(made.proposal.expected.window_seconds + 1);
  const Outcome* outcome = loop.outcome_of(made.id);
  REQUIRE(outcome != nullptr);
  CAPTURE(outcome->result, outcome->reason);
  CHECK((outcome->measured || explains(fault, *outcome)));
}

}  // namespace

TEST_CASE("each loop in the middle of a change, each fault: nothing on stale data, and it goes on",
          "[fault]") {
  for (const Scene& scene : scenes()) {
    const double comes = first_change(scene, fault_config(scene.first));
    for (const Fault& fault : all_faults()) {
      CAPTURE(scene.loop, fault.name);
      check_before(scene, fault, comes);
      check_judging(scene, fault, comes);
    }
  }
}

TEST_CASE("what waits behind a loan is worked off, whatever comes in its middle", "[fault]") {
  const Scene scene = scene_of("limiter.defer");
  for (const Fault& fault : all_faults()) {
    CAPTURE(fault.name);
    FaultLoop loop = run_into(scene, Phase::kJudging);
    loop.run(20);
    REQUIRE(loop.plant.limit < loop.plant.found_limit);
    put(loop, fault);
    CHECK(loop.until(300, [&] { return loop.plant.limit >= loop.plant.found_limit; }));
  }
}
