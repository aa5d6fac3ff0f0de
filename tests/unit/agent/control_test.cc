// Leases, and how what was changed is undone.
#include "agent/control.h"

#include "agent/exiting.h"
#include "tests/unit/agent/control_setup.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Setup = testing::ControlSetup;

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

TEST_CASE("a new holder adopts what is set, or waits for RocksDB to be returned") {
  const bool waits = GENERATE(false, true);
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.now += 10s;
  if (waits) {
    s.group->not_now = "writes are stopped";
    s.control->tick();
  }
  s.take_lease("restore", "you");
  s.group->not_now.clear();
  s.control->tick();
  CHECK(s.a == 50);
  CHECK(s.control->describe()[0].owner == "rocktune");
  s.now += 10s;
  s.control->tick();
  CHECK(s.a == 100);
}

TEST_CASE("nobody adopts half of what is being returned") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.set("b", 200);
  s.now += 10s;
  s.control->tick();
  CHECK(s.b == 100);
  CHECK(s.a == 50);
  const auto refused = s.control->take_lease({"me", 10, "restore", {}});
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == "lease_held");
  s.control->tick();
  CHECK(s.a == 100);
  s.control->tick();
  s.take_lease();
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

TEST_CASE("what rocktune has tuned is not released: it goes on being returned") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  s.b = 7;  // by hand
  const auto released = s.control->release({});
  REQUIRE(released->results.size() == 1);
  CHECK(released->results[0].id == "b");
  CHECK(s.control->release({"a", ""})->results.empty());
  CHECK(s.control->describe()[0].owner == "rocktune");
  s.now += 10s;
  s.control->tick();
  CHECK(s.a == 100);
  CHECK(s.b == 7);
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

TEST_CASE("what an operator holds stays where it is until released") {
  Setup s;
  s.take_lease();
  s.set("a", 50);
  const auto held = s.control->hold({"a", ""});
  REQUIRE(held.has_value());
  REQUIRE(held->results.size() == 1);
  CHECK(held->results[0].status == "applied");
  CHECK(held->results[0].after == 50);
  CHECK(s.events().back().words.at("why") == "hold");
  CHECK(s.set("a", 60).status == "conflict");
  CHECK(s.set("b", 60).status == "applied");
  s.now += 10s;
  for (int i = 0; i < 5; ++i) s.control->tick();
  CHECK(s.a == 50);  // it is not ours to return
  CHECK(s.b == 100);
  s.control->release({"a", ""});
  s.take_lease();
  CHECK(s.set("a", 60).status == "applied");
  CHECK(s.control->hold({"nothing", ""}).error().code == "not_found");
  CHECK(s.control->hold({"a", "second"}).error().code == "not_found");
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

// As a table factory is, before RocksDB 9.8.
TEST_CASE("what column families of one database share goes back with the last of them") {
  const auto shared = std::make_shared<KnobState>();
  Setup s(1, shared);
  const auto other = std::make_shared<testing::FakeGroup>("second");
  other->add_knob(testing::kA, s.a, shared);
  s.control->add(other);
  s.take_lease();
  s.set("a", 50);
  s.set("b", 60);
  s.control->remove(s.group);
  CHECK(s.a == 50);
  CHECK(s.b == 100);
  CHECK(shared->held_by(1));
  CHECK(s.control->describe().at(0).owner == "rocktune");
  s.control->remove(other);
  CHECK(s.a == 100);
  CHECK_FALSE(shared->held_by(1));
}

// The static objects that RocksDB parses options with may be gone.
TEST_CASE("a close while the process exits returns objects, and leaves options alone") {
  static constexpr KnobInfo kRate{
      .name = "rate", .scope = Scope::kLimiter, .bundle = Bundle::kRate, .min = 1, .max = 1000};
  Setup s;
  std::int64_t rate = 100;
  const auto limiter = std::make_shared<testing::FakeGroup>(Scope::kLimiter, "");
  limiter->add_knob(kRate, rate);
  s.control->add(limiter);
  s.take_lease();
  s.change_all({{"1", "a", "", 50, {}}, {"2", "rate", "", 50, {}}});
  struct Exiting {
    Exiting() { exit_begun() = true; }
    ~Exiting() { exit_begun() = false; }
  };
  {
    const Exiting now;
    s.control->abandon();
  }
  CHECK(rate == 100);
  CHECK(s.a == 50);
  CHECK(s.group->calls == 1);
  CHECK(s.group->ended());
  CHECK_FALSE(s.knob_a->state().held_by(1));
  CHECK(s.log.empty());  // RocksDB's logger may be gone as well
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

  CHECK(s.control->release({"b", ""})->results.empty());  // it is nobody else's
  s.b = 5;
  CHECK(s.control->release({"b", ""})->results.empty());
  s.b = 7;
  CHECK(s.control->release({"b", ""})->results.at(0).column_family == "second");
  CHECK(s.control->release({"", "second"})->results.empty());
  CHECK(s.control->release({"a", "second"}).error().code == "not_found");
  CHECK(s.change({"3", "b", "second", 6, {}}).status == "applied");
  s.control->remove(s.group_b);
  CHECK(s.b == 7);  // what was released last is what was found
  CHECK(s.change({"4", "b", "second", 8, {}}).status == "refused");
  CHECK(s.b == 7);
  CHECK(s.log.back() == "closing: b of second returned from 6 to 7");
}

}  // namespace
}  // namespace rocktune::agent
