// What operators order through rocktune: it is theirs afterwards, and theirs to order again.
#include "tests/unit/agent/control_setup.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;

struct OrderSetup : testing::ControlSetup {
  explicit OrderSetup(Scope scope = Scope::kDatabase) : ControlSetup(scope) { take_lease(); }
  // As `rocktune rollback ID` and `rocktune rollback KNOB` do.
  wire::ChangeResult order(const std::string& knob, std::int64_t value) {
    const auto answer =
        control->apply({"me", {{"order" + std::to_string(++orders), knob, "", value, {}}}, true});
    REQUIRE(answer.has_value());
    REQUIRE(answer->results.size() == 1);
    return answer->results[0];
  }
  int orders = 0;
};

TEST_CASE("an order may follow another of the same knob, and rocktune may not") {
  OrderSetup s;
  s.set("a", 50);
  s.set("a", 25);
  CHECK(s.order("a", 50).status == "applied");
  CHECK(s.control->describe()[0].owner == "manual");
  CHECK(s.set("a", 30).status == "conflict");
  CHECK(s.order("a", 50).status == "unchanged");
  CHECK(s.order("a", 100).status == "applied");
  CHECK(s.a == 100);
  CHECK(s.control->describe()[0].owner == "manual");
  CHECK(s.set("a", 30).status == "conflict");
  CHECK(s.set("b", 30).status == "applied");
}

TEST_CASE("everything goes back, also what an order held on its way") {
  OrderSetup s;
  s.set("a", 50);
  s.set("a", 25);
  s.order("a", 50);
  s.control->restore(true);
  CHECK(s.a == 100);
  CHECK(s.control->describe()[0].owner == "manual");
  s.control->restore(true);
  CHECK(s.a == 100);
}

TEST_CASE("what an order held keeps its found value when it is released") {
  OrderSetup s;
  s.set("a", 50);
  s.set("a", 25);
  s.order("a", 50);
  s.control->release({"a", ""});
  CHECK(s.control->describe()[0].owner == "rocktune");
  CHECK(s.control->describe()[0].found == 100);
  CHECK(s.set("a", 60).status == "applied");

  s.order("a", 50);
  s.control->release({"a", ""});
  s.now += 10s;  // the lease expires
  for (int i = 0; i < 5; ++i) s.control->tick();
  CHECK(s.a == 100);
  CHECK(s.control->describe()[0].owner == "found");
}

TEST_CASE("what is released without a lease goes back to what was found") {
  OrderSetup s;
  s.order("a", 50);
  s.now += 10s;
  s.control->tick();
  CHECK(s.a == 50);
  s.control->release({"a", ""});
  s.control->tick();
  CHECK(s.a == 100);
}

TEST_CASE("what an order brought to where it was found is found when it is released") {
  OrderSetup s;
  s.set("a", 50);
  s.order("a", 100);
  s.control->release({"a", ""});
  CHECK(s.control->describe()[0].owner == "found");
  CHECK(s.control->describe()[0].found == 100);
}

TEST_CASE("no order moves what somebody else set, before it or after") {
  OrderSetup s;
  s.set("a", 50);
  const bool ordered_before = GENERATE(false, true);
  if (ordered_before) s.order("a", 40);
  s.a = 77;  // the host
  CHECK(s.order("a", 100).status == "conflict");
  const auto restored = s.control->restore(true).results;
  CHECK(s.a == 77);
  const auto a = std::ranges::find(restored, "a", &wire::ChangeResult::id);
  REQUIRE(a != restored.end());
  CHECK(a->status == "manual");  // what was asked for, and no failure
  s.take_lease();
  CHECK(s.control->hold({"a", ""}).has_value());
  CHECK(s.order("a", 100).status == "conflict");  // holding it does not make it rocktune's
  s.control->release({"a", ""});
  CHECK(s.control->describe()[0].found == 77);
}

TEST_CASE("a lease that expires, or a database that closes, leaves what an order held") {
  OrderSetup s;
  s.set("a", 50);
  s.order("a", 40);
  const bool closes = GENERATE(false, true);
  if (closes) {
    s.control->abandon();
  } else {
    s.now += 10s;
    for (int i = 0; i < 5; ++i) s.control->tick();
    s.control->restore(false);  // not an operator's
  }
  CHECK(s.a == 40);
}

TEST_CASE("a release of everything ends the hold of a return that still waits") {
  OrderSetup s;
  s.set("a", 50);
  s.group->not_now = "writes are stopped";
  s.control->restore(true);
  CHECK(s.a == 50);
  s.control->release({});
  s.group->not_now.clear();
  for (int i = 0; i < 5; ++i) s.control->tick();
  CHECK(s.a == 100);
  for (const auto& knob : s.control->describe()) CHECK(knob.owner == "found");
}

TEST_CASE("a release of everything ends a return that waits, too, once somebody has the lease") {
  OrderSetup s;
  s.set("a", 50);
  s.group->not_now = "writes are stopped";
  s.control->restore(true);
  s.take_lease();
  s.control->release({});
  s.group->not_now.clear();
  CHECK(s.set("b", 60).status == "applied");
  for (int i = 0; i < 5; ++i) s.control->tick();
  CHECK(s.b == 60);
  CHECK(s.a == 50);  // adopted
}

TEST_CASE("what cannot be returned now, and is not RocksDB's to wait for, is held where it is") {
  OrderSetup s(Scope::kCache);
  s.set("a", 150);
  s.group->not_now = "reads would fail";
  s.control->restore(true);
  CHECK(s.a == 150);
  CHECK(s.control->describe()[0].owner == "manual");
  s.take_lease();
  s.control->release({"b", ""});
  s.group->not_now.clear();
  CHECK(s.set("b", 60).status == "applied");
  for (int i = 0; i < 5; ++i) s.control->tick();
  CHECK(s.a == 150);
  CHECK(s.b == 60);
}

// A column family that comes later, with one knob of its own.
struct LaterFamily {
  explicit LaterFamily(std::shared_ptr<KnobState> state = nullptr)
      : group(std::make_shared<testing::FakeGroup>("later")),
        knob(group->add_knob(testing::kB, value, std::move(state))) {}
  [[nodiscard]] const char* owner() const {
    return to_string(knob->state().observe(value, knob->state().generation()).owner);
  }
  std::int64_t value = 100;
  std::shared_ptr<testing::FakeGroup> group;
  testing::FakeKnob* knob;
};

TEST_CASE("what comes after everything was rolled back is held, too") {
  OrderSetup s;
  s.set("a", 50);
  LaterFamily later;
  SECTION("an operator's order") {
    s.control->restore(true);
    s.control->add(later.group);
    CHECK(later.owner() == std::string("manual"));
    s.take_lease();
    CHECK(s.change({"l1", "b", "later", 50, {}}).status == "conflict");
    s.control->release({});
    CHECK(later.owner() == std::string("found"));
    LaterFamily last;
    s.control->add(last.group);
    CHECK(last.owner() == std::string("found"));
  }
  SECTION("not what was released since, unless all is rolled back again") {
    s.control->restore(true);
    s.control->release({"b", ""});
    s.control->release({"a", "later"});  // which is not there
    const bool again = GENERATE(false, true);
    if (again) s.control->restore(true);
    s.control->add(later.group);
    CHECK(later.owner() == std::string(again ? "manual" : "found"));
  }
  SECTION("a release in one column family is of that one alone") {
    s.control->restore(true);
    s.control->release({"b", "later"});
    s.control->add(later.group);
    CHECK(later.owner() == std::string("manual"));
  }
  SECTION("nobody's order") {
    s.control->restore(false);
    s.control->add(later.group);
    CHECK(later.owner() == std::string("found"));
  }
  SECTION("not what cannot be changed") {
    later.knob->not_changeable = "it cannot";
    s.control->restore(true);
    s.control->add(later.group);
    CHECK(later.owner() == std::string("found"));
  }
}

TEST_CASE("what another database has set, and returns, is not held where it comes later") {
  OrderSetup other;
  other.set("b", 60);
  OrderSetup s;
  LaterFamily later(std::shared_ptr<KnobState>(other.group, &other.knob_b->state()));
  later.value = 60;
  s.control->restore(true);
  s.control->add(later.group);
  CHECK(later.owner() == std::string("rocktune"));
  CHECK(later.knob->state().held_by(1));
}

TEST_CASE("what is kept when the lease ends can be released") {
  OrderSetup s;
  s.take_lease("keep");
  s.set("a", 50);
  s.now += std::chrono::seconds(11);
  s.control->tick();
  CHECK(s.control->release({"a", ""})->results.size() == 1);
  CHECK(s.control->describe()[0].owner == "found");
  CHECK(s.control->describe()[0].found == 50);
}

TEST_CASE("an order that is refused holds nothing") {
  OrderSetup s;
  CHECK(s.order("a", 5000).status == "refused");
  CHECK(s.set("a", 50).status == "applied");
}

TEST_CASE("what an order held returns after a write stop, too") {
  OrderSetup s;
  s.set("a", 50);
  s.order("a", 40);
  s.group->not_now = "writes are stopped";
  s.control->restore(true);
  CHECK(s.a == 40);
  s.group->not_now.clear();
  s.control->tick();
  CHECK(s.a == 100);
  CHECK(s.control->describe()[0].owner == "manual");
}

}  // namespace
}  // namespace rocktune::agent
