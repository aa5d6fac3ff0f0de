// Lease, changes and their undoing, on knobs of the test's own and a clock moved by hand.
#include "agent/control.h"

#include <stdexcept>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;

class FakeKnob final : public Knob {
 public:
  FakeKnob(std::string name, std::int64_t& value, std::shared_ptr<KnobState> state = nullptr)
      : Knob(std::move(name), state ? std::move(state) : std::make_shared<KnobState>()),
        value_(value) {}
  std::string why_not_changeable() const override { return not_changeable; }
  Range range() const override { return {1, 1000}; }
  std::string why_refused(std::int64_t value) const override {
    return value == 666 ? "not this one" : "";
  }
  Reading read(Freshness /*freshness*/) override { return {value_, state().generation()}; }
  std::string write(std::int64_t value) override {
    ++writes;
    if (on_write) on_write();
    if (!failure.empty()) return failure;
    if (throws) throw std::runtime_error("no more threads");
    value_ = sticks_at.value_or(value);
    return {};
  }

  std::string not_changeable;
  std::string failure;
  std::optional<std::int64_t> sticks_at;
  bool throws = false;
  std::function<void()> on_write;
  int writes = 0;

 private:
  std::int64_t& value_;
};

// Two knobs, both found at 100.
struct Setup {
  std::int64_t a;
  std::int64_t b = 100;
  std::chrono::steady_clock::time_point now{1000s};
  std::vector<std::string> log;
  FakeKnob* knob_a = nullptr;
  FakeKnob* knob_b = nullptr;
  std::unique_ptr<Control> control;

  explicit Setup(KnobState::Holder self = 1, std::shared_ptr<KnobState> state_a = nullptr,
                 std::int64_t start_a = 100)
      : a(start_a) {
    std::vector<std::unique_ptr<Knob>> knobs;
    auto first = std::make_unique<FakeKnob>("a", a, std::move(state_a));
    auto second = std::make_unique<FakeKnob>("b", b);
    knob_a = first.get();
    knob_b = second.get();
    knobs.push_back(std::move(first));
    knobs.push_back(std::move(second));
    control = std::make_unique<Control>(
        std::move(knobs), self, [this] { return now; },
        [this](const std::string& line) { log.push_back(line); });
  }

  void take_lease(const std::string& on_expiry = "restore", const std::string& holder = "me") {
    REQUIRE(control->take_lease({holder, 10, on_expiry, {}}).has_value());
  }
  wire::ChangeResult change(const wire::Change& change) {
    const auto answer = control->apply({"me", {change}});
    REQUIRE(answer.has_value());
    REQUIRE(answer->results.size() == 1);
    return answer->results[0];
  }
  wire::ChangeResult set(const std::string& knob, std::int64_t value) {
    static int id = 0;
    return change({"id" + std::to_string(++id), knob, "", value, {}});
  }
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
  CHECK_THAT(s.log[0], Contains("set by somebody else"));

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
  CHECK_THAT(s.log[0], Contains("could not be returned: busy"));
  CHECK(s.knob_a->writes < 20);
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
  Setup s;
  s.take_lease();
  s.knob_a->on_write = [&] { s.control->hurry(); };
  const auto answer = s.control->apply({"me", {{"1", "a", "", 50, {}}, {"2", "b", "", 50, {}}}});
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

}  // namespace
}  // namespace rocktune::agent
