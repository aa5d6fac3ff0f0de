// How much of what is to be returned goes back in one look.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/agent/control_setup.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;

// Of several column families, each with a knob that relieves memory and one that relieves nothing.
struct ManyFamilies {
  static constexpr KnobInfo kBuffer{.name = "buffer",
                                    .bundle = Bundle::kMemtables,
                                    .min = 1,
                                    .max = 1000,
                                    .when_lowered = Relief::kMemory};
  static constexpr KnobInfo kLimit{.name = "limit", .bundle = Bundle::kFlow, .min = 1, .max = 1000};
  struct Family {
    std::int64_t buffer = 10;
    std::int64_t limit = 10;
    std::shared_ptr<testing::FakeGroup> group;
    testing::FakeKnob* knob = nullptr;
  };
  std::vector<std::unique_ptr<Family>> all;
  testing::ControlSetup s;

  explicit ManyFamilies(int number) {
    s.take_lease();
    for (int i = 0; i < number; ++i) {
      auto& family = *all.emplace_back(std::make_unique<Family>());
      const auto name = "f" + std::to_string(i);
      family.group = std::make_shared<testing::FakeGroup>(name);
      family.knob = family.group->add_knob(kBuffer, family.buffer);
      family.group->add_knob(kLimit, family.limit);
      s.control->add(family.group);
      s.change_all({{name + "b", "buffer", name, 20, {}}, {name + "l", "limit", name, 20, {}}});
    }
    for (const auto& family : all) family->group->after_write = [this] { s.now += 20ms; };
    s.now += 10s;
  }
  [[nodiscard]] auto returned(std::int64_t Family::* value) const {
    return std::ranges::count_if(all, [&](const auto& one) { return (*one).*value == 10; });
  }
};

TEST_CASE("what brings the same relief returns in one tick, for 50 ms") {
  ManyFamilies f(5);
  f.s.control->tick();
  CHECK(f.returned(&ManyFamilies::Family::buffer) == 3);
  f.s.control->tick();
  CHECK(f.returned(&ManyFamilies::Family::buffer) == 5);
  CHECK(f.returned(&ManyFamilies::Family::limit) == 0);  // another relief: another tick
  CHECK_FALSE(f.s.control->take_lease({"me", 10, "restore", {}}).has_value());
  f.s.control->tick();
  f.s.control->tick();
  CHECK(f.returned(&ManyFamilies::Family::limit) == 5);
  f.s.take_lease();
}

TEST_CASE("what fails in a tick is tried again in another, and the others return in this one") {
  ManyFamilies f(2);
  f.all[0]->knob->failure = "busy";
  f.all[0]->knob->writes = 0;
  f.s.control->tick();
  CHECK(f.all[0]->knob->writes == 1);
  CHECK(f.returned(&ManyFamilies::Family::buffer) == 1);
  f.all[0]->knob->failure.clear();
  f.s.control->tick();
  CHECK(f.returned(&ManyFamilies::Family::buffer) == 2);
}

TEST_CASE("a database that closes waits for one batch of what is being returned") {
  ManyFamilies f(3);
  f.s.control->hurry();
  f.s.control->tick();
  CHECK(f.returned(&ManyFamilies::Family::buffer) == 1);
}

}  // namespace
}  // namespace rocktune::agent
