// Lease, changes and their undoing, on knobs of the test's own and a clock moved by hand.
#include "agent/control.h"

#include "agent/relations.h"
#include "tests/support/catch.h"
#include "tests/unit/agent/fake_knobs.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;

using testing::FakeGroup;
using testing::FakeKnob;

// Lowering either relieves the CPU; they are not related.
constexpr KnobInfo kA{
    .name = "a", .bundle = Bundle::kJobs, .min = 1, .max = 1000, .when_lowered = Relief::kCpu};
constexpr KnobInfo kB{.name = "b",
                      .bundle = Bundle::kFlow,
                      .min = 1,
                      .max = 1000,
                      .when_lowered = Relief::kCpu,
                      .special = -7};

// Two knobs of one group, both found at 100; unless `apart`, when each has its own.
struct Setup {
  std::int64_t a;
  std::int64_t b = 100;
  std::chrono::steady_clock::time_point now{1000s};
  std::vector<std::string> log;
  std::shared_ptr<EventRing> ring = std::make_shared<EventRing>();
  std::shared_ptr<FakeGroup> group = std::make_shared<FakeGroup>();
  std::shared_ptr<FakeGroup> group_b = group;
  FakeKnob* knob_a = nullptr;
  FakeKnob* knob_b = nullptr;
  std::unique_ptr<Control> control;

  explicit Setup(KnobState::Holder self = 1, std::shared_ptr<KnobState> state_a = nullptr,
                 std::int64_t start_a = 100, bool apart = false)
      : a(start_a) {
    if (apart) group_b = std::make_shared<FakeGroup>("second");
    knob_a = group->add_knob(kA, a, std::move(state_a));
    knob_b = group_b->add_knob(kB, b);
    std::vector<Control::Group> groups = {group};
    if (apart) groups.push_back(group_b);
    control = std::make_unique<Control>(
        std::move(groups), self, [this] { return now; }, ring,
        [this](const std::string& line) { log.push_back(line); });
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

TEST_CASE("changes need the lease of the one who makes them") {
  Setup s;
  CHECK(s.control->apply({"me", {}}).error().code == "no_lease");
  s.take_lease();
  CHECK(s.control->apply({"you", {}}).error().code == "lease_held");
  CHECK(s.control->apply({"me", {}}).has_value());
  s.now += 10s;
  CHECK(s.control->apply({"me", {}}).error().code == "no_lease");
}

TEST_CASE("a lease belongs to its holder until it expires, and polling renews it") {
  Setup s;
  s.take_lease();
  CHECK(s.control->take_lease({"you", 10, "restore", {}}).error().code == "lease_held");
  CHECK(s.control->take_lease({"me", 20, "keep", {}}).has_value());  // a restarted daemon
  CHECK(s.control->lease()->on_expiry == "keep");
  s.now += 15s;
  CHECK(s.control->lease()->remaining_seconds == 5.0);
  s.control->renew("you");
  CHECK(s.control->lease()->remaining_seconds == 5.0);
  s.control->renew("me");
  CHECK(s.control->lease()->remaining_seconds == 20.0);
  s.now += 20s;
  CHECK_FALSE(s.control->lease().has_value());
  s.control->renew("me");  // too late
  CHECK_FALSE(s.control->lease().has_value());
  CHECK(s.control->take_lease({"you", 10, "restore", {}}).has_value());
  CHECK(s.control->take_lease({"you", 0.5, "restore", {}}).error().code == "bad_request");
  CHECK(s.control->take_lease({"you", 3601, "restore", {}}).error().code == "bad_request");
}

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
  CHECK(s.control->describe()[1].owner == "rocktune");
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
  s.knob_a->state().release(100);
  CHECK(s.change({"x", "a", "", 300, {}}).after == 300);  // forgotten by now
}

TEST_CASE("what somebody else set is left alone until released") {
  Setup s;
  s.take_lease();
  s.set("a", 200);
  s.a = 250;
  CHECK(s.set("a", 300).status == "conflict");
  CHECK(s.control->describe()[0].owner == "manual");
  s.now += 10s;
  s.control->tick();
  s.control->tick();
  CHECK(s.a == 250);
  REQUIRE(s.log.size() == 1);
  CHECK_THAT(s.log[0], Contains("somebody else set it"));

  CHECK(s.control->release({"nothing", ""}).error().code == "not_found");
  const auto released = s.control->release({"a", ""});
  REQUIRE(released->results.size() == 1);
  CHECK(released->results[0].after == 250);
  CHECK(s.control->describe()[0].found == 250);
  s.take_lease();
  CHECK(s.set("a", 300).status == "applied");
}

TEST_CASE("an expired lease returns one knob at each tick, those that go down first") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.set("b", 200);
  s.now += 9s;
  s.control->tick();
  CHECK(s.b == 200);
  s.now += 1s;
  s.control->tick();
  CHECK(s.b == 100);
  CHECK(s.a == 50);
  s.control->tick();
  CHECK(s.a == 100);
  CHECK(s.log == std::vector<std::string>{"the lease expired: b returned from 200 to 100",
                                          "the lease expired: a returned from 50 to 100"});
  s.control->tick();
  CHECK(s.log.size() == 2);
}

TEST_CASE("a new holder adopts what has not been returned yet") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.set("b", 200);
  s.now += 10s;
  s.control->tick();
  s.take_lease("restore", "you");
  s.control->tick();
  CHECK(s.a == 50);
  CHECK(s.control->describe()[0].owner == "rocktune");
  s.now += 10s;
  s.control->tick();
  CHECK(s.a == 100);
}

TEST_CASE("a lease that says keep leaves everything") {
  Setup s;
  s.take_lease("keep");
  s.set("a", 50);
  s.now += 10s;
  s.control->tick();
  CHECK(s.a == 50);
  CHECK(s.control->describe()[0].owner == "rocktune");
  s.control->abandon();
  CHECK(s.a == 50);
}

TEST_CASE("a return that fails is tried again, then told and dropped") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.now += 10s;
  s.knob_a->failure = "busy";
  s.control->tick();
  CHECK(s.log.empty());
  s.knob_a->failure.clear();
  s.control->tick();
  CHECK(s.a == 100);

  s.take_lease();
  s.set("a", 50);
  s.now += 10s;
  s.knob_a->failure = "busy";
  s.log.clear();
  for (int i = 0; i < 50; ++i) s.control->tick();
  REQUIRE(s.log.size() == 1);
  CHECK_THAT(s.log[0], Contains("a stays 50: busy"));
  CHECK(s.knob_a->writes < 20);
}

// As when RocksDB cannot write its OPTIONS file.
TEST_CASE("a return that fails after the value is back is told, and not tried again") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.now += 10s;
  s.knob_a->failure = "no space";
  s.knob_a->on_write = [&] { s.a = 100; };
  s.control->tick();
  REQUIRE(s.log.size() == 1);
  CHECK_THAT(s.log[0], Contains("a returned from 50 to 100, but no space"));
  REQUIRE(s.events().size() == 2);
  CHECK(s.events()[1].words.at("status") == "failed");
  s.control->tick();
  CHECK(s.knob_a->writes == 2);
  CHECK(s.control->describe()[0].owner == "found");
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

TEST_CASE("what is remembered of hostile requests is short") {
  Setup s;
  s.take_lease();
  const auto result = s.set(std::string(60000, 'x'), 1);
  CHECK(result.status == "refused");
  CHECK(result.reason.size() < 200);
}

TEST_CASE("a close does not wait for the rest of a long request") {
  Setup s(1, nullptr, 100, true);
  s.take_lease();
  s.knob_a->on_write = [&] { s.control->hurry(); };
  const auto answer =
      s.control->apply({"me", {{"1", "a", "", 50, {}}, {"2", "b", "second", 50, {}}}});
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().code == "not_found");
  CHECK(s.a == 50);
  CHECK(s.b == 100);
  s.control->abandon();
  CHECK(s.a == 100);
}

TEST_CASE("restore returns everything at once and ends the lease") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.set("b", 200);
  const auto answer = s.control->restore(false);
  REQUIRE(answer.results.size() == 2);
  CHECK(answer.results[0].id == "b");
  CHECK(answer.results[0].status == "applied");
  CHECK(s.a == 100);
  CHECK(s.b == 100);
  CHECK_FALSE(s.control->lease().has_value());
  CHECK(s.control->describe()[0].owner == "found");
}

TEST_CASE("restore with hold keeps rocktune away until released") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.control->restore(true);
  CHECK(s.a == 100);
  s.take_lease();
  CHECK(s.set("a", 60).status == "conflict");
  CHECK(s.set("b", 60).status == "conflict");
  s.control->release({});
  CHECK(s.set("a", 60).status == "applied");
  CHECK(s.set("b", 60).status == "applied");
}

TEST_CASE("closing returns everything") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.set("b", 200);
  s.control->abandon();
  CHECK(s.a == 100);
  CHECK(s.b == 100);
}

TEST_CASE("two databases that share an object agree on what was found") {
  const auto shared = std::make_shared<KnobState>();
  Setup one(1, shared);
  one.take_lease();
  one.set("a", 50);
  Setup two(2, shared, 50);
  // Both look at the same object: their values move together.
  const auto same = [&](std::int64_t value) { one.a = two.a = value; };
  CHECK(two.control->describe()[0].found == 100);
  CHECK(two.control->describe()[0].owner == "rocktune");
  two.take_lease();
  CHECK(two.set("a", 40).status == "applied");
  same(40);

  one.now += 10s;
  one.control->tick();
  CHECK(one.a == 40);  // the other one still wants it
  two.now += 10s;
  two.control->tick();
  CHECK(two.a == 100);
  CHECK(two.control->describe()[0].owner == "found");
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

TEST_CASE("column families have their knobs under their names, and take them along") {
  Setup s(1, nullptr, 100, true);
  s.take_lease();
  CHECK_THAT(s.set("b", 5).reason, Contains("but there is one in the column family 'second'"));
  CHECK_THAT(s.change({"1", "a", "second", 5, {}}).reason, Contains("of the whole database"));
  CHECK(s.control->describe().size() == 1);  // what is as found is not worth a line in a sample
  CHECK(s.control->catalogue().knobs.size() == 2);
  CHECK(s.change({"2", "b", "second", 5, {}}).status == "applied");
  REQUIRE(s.control->describe().size() == 2);
  CHECK(s.control->describe()[1].column_family == "second");

  CHECK(s.control->release({"b", ""})->results.at(0).column_family == "second");
  CHECK(s.control->release({"", "second"})->results.empty());
  CHECK(s.control->release({"a", "second"}).error().code == "not_found");
  CHECK(s.change({"3", "b", "second", 6, {}}).status == "applied");
  s.control->remove(s.group_b);
  CHECK(s.b == 5);  // what was released last is what was found
  CHECK(s.change({"4", "b", "second", 7, {}}).status == "refused");
  CHECK(s.b == 5);
  CHECK(s.log.back() == "closing: b of second returned from 6 to 5");
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
  CHECK(events[2].words.at("status") == "conflict");
  CHECK(events[3].words.at("why") == "lease_expired");
  CHECK(events[3].numbers.at("after") == 100);
  s.control->release({"b", ""});
  CHECK(s.events().back().words.at("why") == "release");
}

TEST_CASE("a value that RocksDB moves along with another becomes the found one") {
  Setup s;
  s.b = 0;
  s.knob_b->state().release(0);
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

}  // namespace
}  // namespace rocktune::agent
