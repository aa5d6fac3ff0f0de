// Requests that change values: checked, written and read back in batches, and told.
#include "agent/control.h"
#include "agent/relations.h"
#include "tests/unit/agent/control_setup.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using testing::FakeGroup;
using Setup = testing::ControlSetup;

TEST_CASE("a change is checked before it is written, and read back after") {
  Setup s;
  s.take_lease();
  const auto applied = s.set("a", 200);
  CHECK(applied.status == "applied");
  CHECK(applied.before == 100);
  CHECK(applied.after == 200);
  CHECK(s.set("a", 200).status == "unchanged");
  CHECK(s.set("a", 0).status == "refused");
  CHECK(s.set("a", 1001).status == "refused");
  CHECK(s.set("a", 666).reason == "not this one");
  CHECK(s.set("c", 1).status == "refused");
  CHECK(s.change({"cf", "a", "default", 5, {}}).status == "refused");
  CHECK(s.change({"e1", "a", "", 5, 100}).status == "conflict");
  CHECK(s.knob_a->writes == 1);
  CHECK(s.change({"e2", "a", "", 5, 200}).status == "applied");

  s.knob_b->not_changeable = "because";
  CHECK(s.set("b", 5).reason == "because");
  s.knob_b->not_changeable.clear();
  s.knob_b->failure = "IO error";
  const auto failed = s.set("b", 5);
  CHECK(failed.status == "failed");
  CHECK(failed.reason == "IO error");
  CHECK(s.control->describe()[1].owner == "found");
  s.knob_b->failure.clear();
  s.knob_b->sticks_at = 50;
  const auto mismatch = s.set("b", 5);
  CHECK(mismatch.status == "mismatch");
  CHECK(mismatch.after == 50);
  CHECK_THAT(mismatch.reason, Contains("somebody else"));
  CHECK(s.control->describe()[1].owner == "manual");
}

TEST_CASE("an id that was seen before gets its first answer") {
  Setup s;
  s.take_lease();
  CHECK(s.change({"x", "a", "", 200, {}}).status == "applied");
  s.a = 100;
  CHECK(s.change({"x", "a", "", 300, {}}).after == 200);
  CHECK(s.a == 100);
  CHECK(s.knob_a->writes == 1);
  for (std::size_t i = 0; i < Control::kRememberedChanges; ++i) {
    s.change({std::to_string(i), "nothing", "", 1, {}});
  }
  s.knob_a->state().accept(100);
  CHECK(s.change({"x", "a", "", 300, {}}).after == 300);  // forgotten by now
}

TEST_CASE("an exception of RocksDB is a failure like another") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.knob_a->throws = true;
  const auto result = s.set("a", 60);
  CHECK(result.status == "failed");
  CHECK_THAT(result.reason, Contains("no more threads"));
  CHECK(result.after == 50);
  CHECK(s.control->describe()[0].owner == "rocktune");

  s.now += 10s;
  s.control->tick();  // thrown again: the return is not forgotten
  CHECK(s.a == 50);
  s.knob_a->throws = false;
  s.control->tick();
  CHECK(s.a == 100);
  s.a = 70;  // the write that threw has ended: another hand is still recognised
  CHECK(s.control->describe()[0].owner == "manual");
}

TEST_CASE("what RocksDB took but cannot be read back is returned like another value") {
  Setup s;
  s.take_lease();
  s.group->after_write = [&] { s.knob_a->throws_on_read = true; };
  const auto result = s.set("a", 50);
  CHECK(result.status == "failed");
  CHECK_THAT(result.reason, Contains("read back"));
  CHECK(result.after == 50);
  s.group->after_write = nullptr;
  s.knob_a->throws_on_read = false;
  CHECK(s.control->describe()[0].owner == "rocktune");
  s.now += 10s;
  s.control->tick();
  CHECK(s.a == 100);
}

TEST_CASE("what the host sets between a write and its reading back is not undone") {
  Setup s;
  s.take_lease();
  s.group->after_write = [&] { s.a = 70; };
  CHECK(s.set("a", 50).status == "mismatch");
  s.group->after_write = nullptr;
  CHECK(s.control->describe()[0].owner == "manual");
  s.now += 10s;
  s.control->tick();
  s.control->abandon();
  CHECK(s.a == 70);
}

TEST_CASE("what an object made of the value is returned as well") {
  static constexpr KnobInfo kCapacity{.name = "capacity",
                                      .scope = Scope::kCache,
                                      .bundle = Bundle::kCapacity,
                                      .min = 1,
                                      .max = 1000};
  Setup s;
  std::int64_t capacity = 100;
  const auto cache = std::make_shared<FakeGroup>(Scope::kCache, "");
  auto* const knob = cache->add_knob(kCapacity, capacity);
  s.control->add(cache);
  s.take_lease();
  knob->sticks_at = 64;
  CHECK(s.set("capacity", 60).status == "mismatch");
  knob->sticks_at.reset();
  s.now += 10s;
  s.control->tick();
  CHECK(capacity == 100);
}

// Whoever ends its group meanwhile (a column family's handle goes) would otherwise find nothing to
// wait for.
TEST_CASE("a value is held until it is back") {
  Setup s;
  bool held = false;
  const auto set = [&] {
    s.take_lease();
    s.set("a", 50);
    held = false;
  };
  s.knob_a->on_write = [&] { held = s.knob_a->state().held_by(1); };
  set();
  s.now += 10s;
  s.control->tick();
  CHECK(held);
  CHECK(s.a == 100);
  CHECK_FALSE(s.knob_a->state().held_by(1));
  set();
  s.control->restore(false);
  CHECK(held);
  CHECK(s.a == 100);
  CHECK_FALSE(s.knob_a->state().held_by(1));
}

TEST_CASE("a group that has ended leaves no claim on a value that could not be returned") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.knob_a->failure = "IO error";
  s.control->remove(s.group);
  CHECK(s.a == 50);
  CHECK_FALSE(s.knob_a->state().held_by(1));
}

TEST_CASE("what is remembered of hostile requests is short") {
  Setup s;
  s.take_lease();
  const auto result = s.set(std::string(60000, 'x'), 1);
  CHECK(result.status == "refused");
  CHECK(result.reason.size() < 200);
}

TEST_CASE("the changes of a group are one call, and applied or refused as a whole") {
  Setup s;
  s.take_lease();
  auto results = s.change_all({{"1", "a", "", 50, {}}, {"2", "b", "", 60, {}}});
  CHECK(results.at(0).status == "applied");
  CHECK(results.at(1).status == "applied");
  CHECK(s.group->calls == 1);

  results = s.change_all({{"3", "a", "", 55, {}}, {"4", "b", "", 5000, {}}});
  CHECK(results.at(0).status == "refused");
  CHECK_THAT(results.at(0).reason, Contains("not tried") && Contains("between 1 and 1000"));
  CHECK(results.at(1).status == "refused");
  CHECK_THAT(results.at(1).reason, !Contains("not tried"));
  results = s.change_all({{"5", "a", "", 55, 51}, {"6", "b", "", 65, {}}});
  CHECK(results.at(0).status == "conflict");
  CHECK(results.at(1).status == "refused");
  CHECK(s.group->calls == 1);
  CHECK(s.a == 50);
  CHECK(s.b == 60);

  s.knob_b->failure = "Corruption";
  results = s.change_all({{"7", "a", "", 55, {}}, {"8", "b", "", 65, {}}});
  CHECK(results.at(0).status == "failed");
  CHECK(results.at(0).reason == "Corruption");
  CHECK(results.at(0).after == 50);
  s.knob_b->failure.clear();
  results = s.change_all({{"9", "a", "", 50, {}}, {"10", "b", "", 65, {}}});
  CHECK(results.at(0).status == "unchanged");
  CHECK(results.at(1).status == "applied");
}

TEST_CASE("values are checked together, on what a batch would make of them") {
  Setup s;
  s.group->contradicts = [](const FakeGroup& group, const KnobGroup::Assignments& changes) {
    return Proposal(group, changes).require_order("a", "b");
  };
  s.take_lease();
  CHECK_THAT(s.set("a", 101).reason, Contains("above b"));
  CHECK(s.set("b", 99).status == "refused");
  const auto results = s.change_all({{"1", "a", "", 200, {}}, {"2", "b", "", 300, {}}});
  CHECK(results.at(1).status == "applied");
  CHECK(s.set("a", 300).status == "applied");
  CHECK(s.set("a", 301).status == "refused");
}

TEST_CASE("a knob that is changed twice in a request is changed one after the other") {
  Setup s;
  s.take_lease();
  const auto results = s.change_all({{"1", "a", "", 50, 100},
                                     {"2", "b", "", 60, {}},
                                     {"3", "a", "", 70, 50},
                                     {"1", "a", "", 50, 100}});
  REQUIRE(results.size() == 4);
  CHECK(results[0].status == "applied");
  CHECK(results[2].status == "applied");
  CHECK(results[2].before == 50);
  CHECK(results[3].id == "1");
  CHECK(results[3].after == 50);  // its first answer
  CHECK(s.a == 70);
  CHECK(s.group->calls == 2);
}

TEST_CASE("a special value and the found one are accepted outside the range") {
  Setup s(1, nullptr, 5000);
  s.take_lease();
  CHECK(s.set("a", 50).status == "applied");
  CHECK(s.set("a", 4999).status == "refused");
  CHECK(s.set("a", 5000).status == "applied");
  CHECK(s.control->describe()[0].owner == "found");
  CHECK(s.set("b", -7).status == "applied");
  CHECK_THAT(s.set("b", -8).reason, Contains("or -7"));
}

TEST_CASE("values that relate to each other return together, with the most urgent of them") {
  static constexpr KnobInfo kSize{.name = "size",
                                  .bundle = Bundle::kMemtables,
                                  .min = 1,
                                  .max = 1000,
                                  .when_lowered = Relief::kMemory};
  static constexpr KnobInfo kNumber{
      .name = "number", .bundle = Bundle::kMemtables, .min = 1, .max = 1000};
  static constexpr KnobInfo kRate{.name = "rate",
                                  .bundle = Bundle::kRate,
                                  .min = 1,
                                  .max = 1000,
                                  .when_lowered = Relief::kDevice};
  Setup s;
  std::int64_t size = 10;
  std::int64_t number = 10;
  std::int64_t rate = 10;
  const auto family = std::make_shared<FakeGroup>("f");
  family->add_knob(kNumber, number);
  family->add_knob(kSize, size);
  family->add_knob(kRate, rate);
  s.control->add(family);
  s.take_lease();
  s.change_all({{"1", "a", "", 200, {}},
                {"2", "b", "", 50, {}},
                {"3", "number", "f", 5, {}},
                {"4", "size", "f", 20, {}},
                {"5", "rate", "f", 20, {}}});
  s.now += 10s;
  s.control->tick();  // memory, and what belongs to it
  CHECK(size == 10);
  CHECK(number == 10);
  CHECK(rate == 20);
  s.control->tick();  // the device
  CHECK(rate == 10);
  CHECK(s.a == 200);
  s.control->tick();  // CPU
  CHECK(s.a == 100);
  CHECK(s.b == 50);
  s.control->tick();  // the rest
  CHECK(s.b == 100);
  CHECK(family->calls == 3);
}

TEST_CASE("what is written, and what is not returned, is an event") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.set("a", 5000);  // never tried
  s.set("b", 200);
  s.b = 300;
  s.now += 10s;
  for (int i = 0; i < 3; ++i) s.control->tick();
  const auto events = s.events();
  REQUIRE(events.size() == 4);
  CHECK(events[0].kind == "change");
  CHECK(events[0].words == std::map<std::string, std::string>{
                               {"knob", "a"}, {"why", "request"}, {"status", "applied"}});
  CHECK(events[0].numbers == std::map<std::string, std::int64_t>{{"before", 100}, {"after", 50}});
  CHECK(events[2].words.at("knob") == "b");
  CHECK(events[2].words.at("status") == "manual");
  CHECK(events[3].words.at("why") == "lease_expired");
  CHECK(events[3].numbers.at("after") == 100);
  s.control->release({"b", ""});
  CHECK(s.events().back().words.at("why") == "release");
}

TEST_CASE("a value that RocksDB moves along with another becomes the found one") {
  Setup s;
  s.b = 0;
  s.knob_b->state().accept(0);
  s.group->moves = "b";
  s.group->after_write = [&] { s.b = 7; };
  s.take_lease();
  CHECK(s.set("a", 50).status == "applied");
  CHECK(s.control->describe()[1].owner == "found");
  CHECK(s.control->describe()[1].found == 7);
  s.b = 8;
  CHECK(s.control->describe()[1].owner == "manual");
}

TEST_CASE("a found value that contradicts what the host set since is left") {
  Setup s;
  s.group->contradicts = [](const FakeGroup& group, const KnobGroup::Assignments& changes) {
    return Proposal(group, changes).require_order("a", "b");
  };
  s.take_lease();
  s.change_all({{"1", "a", "", 40, {}}, {"2", "b", "", 50, {}}});
  s.b = 60;
  s.control->abandon();
  CHECK(s.a == 40);
  CHECK(s.b == 60);
  REQUIRE(s.log.size() == 2);
  CHECK_THAT(s.log[1] + s.log[0], Contains("a stays 40") && Contains("would be 100, above b"));
}

TEST_CASE("a found value that contradicts what was released since is left, and can be released") {
  Setup s;
  s.group->contradicts = [](const FakeGroup& group, const KnobGroup::Assignments& changes) {
    return Proposal(group, changes).require_order("a", "b");
  };
  s.take_lease();
  s.set("a", 40);
  s.b = 60;
  const auto released = s.control->release({});
  REQUIRE(released->results.size() == 1);
  CHECK(released->results[0].id == "b");
  CHECK(s.control->describe()[1].found == 60);
  s.now += 10s;
  for (int i = 0; i < 5; ++i) s.control->tick();
  CHECK(s.a == 40);
  CHECK(s.b == 60);
  CHECK(s.control->describe()[0].owner == "rocktune");
  s.control->release({"a", ""});  // which nobody would return any more
  CHECK(s.control->describe()[0].owner == "found");
  CHECK(s.control->describe()[0].found == 40);
}

TEST_CASE("a restore that throws in the middle is gone on with") {
  const bool hold = GENERATE(false, true);
  Setup s(1, nullptr, 100, true);
  s.take_lease();
  REQUIRE(s.set("a", 50).status == "applied");
  s.change({"b1", "b", "second", 50, {}});
  REQUIRE(s.b == 50);
  s.log_throws = true;
  CHECK_THROWS(s.control->restore(hold));
  CHECK((s.a == 50) != (s.b == 50));  // one of them
  for (int i = 0; i < 3; ++i) s.control->tick();
  CHECK(s.a == 100);
  CHECK(s.b == 100);
}

}  // namespace
}  // namespace rocktune::agent
