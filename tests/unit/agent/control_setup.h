// A Control with two knobs of the test's own, and a clock moved by hand.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agent/control.h"
#include "tests/support/catch.h"
#include "tests/unit/agent/fake_knobs.h"

namespace rocktune::agent::testing {

// Lowering either relieves the CPU; they are not related.
inline constexpr KnobInfo kA{
    .name = "a", .bundle = Bundle::kJobs, .min = 1, .max = 1000, .when_lowered = Relief::kCpu};
inline constexpr KnobInfo kB{.name = "b",
                             .bundle = Bundle::kFlow,
                             .min = 1,
                             .max = 1000,
                             .when_lowered = Relief::kCpu,
                             .special = -7};

// Two knobs of one group, both found at 100; unless `apart`, when each has its own.
struct ControlSetup {
  std::int64_t a;
  std::int64_t b = 100;
  std::chrono::steady_clock::time_point now{std::chrono::seconds(1000)};
  std::chrono::steady_clock::time_point computed{};
  std::vector<std::string> log;
  bool log_throws = false;  // the next time
  std::shared_ptr<EventRing> ring = std::make_shared<EventRing>();
  std::shared_ptr<FakeGroup> group;
  std::shared_ptr<FakeGroup> group_b = group;
  FakeKnob* knob_a = nullptr;
  FakeKnob* knob_b = nullptr;
  std::unique_ptr<Control> control;

  explicit ControlSetup(Scope scope) : ControlSetup(1, nullptr, 100, false, scope) {}
  explicit ControlSetup(KnobState::Holder self = 1, std::shared_ptr<KnobState> state_a = nullptr,
                        std::int64_t start_a = 100, bool apart = false,
                        Scope scope = Scope::kDatabase)
      : a(start_a), group(std::make_shared<FakeGroup>(scope, "")) {
    if (apart) group_b = std::make_shared<FakeGroup>("second");
    knob_a = group->add_knob(kA, a, std::move(state_a));
    knob_b = group_b->add_knob(kB, b);
    std::vector<Control::Group> groups = {group};
    if (apart) groups.push_back(group_b);
    control = std::make_unique<Control>(
        std::move(groups), self, [this] { return now; }, ring,
        [this](const std::string& line) {
          if (std::exchange(log_throws, false)) throw std::runtime_error("a logger of the host's");
          log.push_back(line);
        },
        [this] { return computed; });
  }

  void take_lease(const std::string& on_expiry = "restore", const std::string& holder = "me") {
    REQUIRE(control->take_lease({holder, 10, on_expiry, {}}).has_value());
  }
  std::vector<wire::ChangeResult> change_all(std::vector<wire::Change> changes) {
    const auto answer = control->apply({"me", std::move(changes)});
    REQUIRE(answer.has_value());
    return answer->results;
  }
  wire::ChangeResult change(const wire::Change& change) {
    const auto results = change_all({change});
    REQUIRE(results.size() == 1);
    return results[0];
  }
  wire::ChangeResult set(const std::string& knob, std::int64_t value) {
    static int id = 0;
    return change({"id" + std::to_string(++id), knob, "", value, {}});
  }
  std::vector<wire::Event> events() const { return ring->read(0, 100).events; }
};

}  // namespace rocktune::agent::testing
