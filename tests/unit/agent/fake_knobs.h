// Knobs on values of the test's own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "agent/knob.h"

namespace rocktune::agent::testing {

class FakeKnob final : public Knob {
 public:
  FakeKnob(const KnobInfo& info, std::int64_t& value, std::shared_ptr<KnobState> state = nullptr)
      : Knob(info, state ? std::move(state) : std::make_shared<KnobState>()), value_(value) {}
  std::string why_not_changeable() const override { return not_changeable; }
  Reading read() override {
    const auto generation = state().generation();
    if (throws_on_read) throw std::runtime_error("no memory");
    return {value_, generation};
  }
  void write(std::int64_t value) { value_ = sticks_at.value_or(value); }

  std::string not_changeable;
  std::optional<std::int64_t> sticks_at;
  // Of the whole call that it is part of.
  std::string failure;
  bool throws = false;
  bool throws_on_read = false;
  std::function<void()> on_write;
  int writes = 0;

 private:
  std::int64_t& value_;
};

class FakeGroup final : public KnobGroup {
 public:
  explicit FakeGroup(const std::string& column_family = {})
      : FakeGroup(column_family.empty() ? Scope::kDatabase : Scope::kColumnFamily, column_family) {}
  FakeGroup(Scope scope, const std::string& column_family) : KnobGroup(scope, column_family) {}

  FakeKnob* add_knob(const KnobInfo& info, std::int64_t& value,
                     std::shared_ptr<KnobState> state = nullptr) {
    auto knob = std::make_unique<FakeKnob>(info, value, std::move(state));
    auto* const added = knob.get();
    add(std::move(knob));
    return added;
  }
  std::string contradiction(const Assignments& changes) const override {
    return contradicts ? contradicts(*this, changes) : std::string();
  }
  std::string excess(const Assignments& changes) const override {
    for (const auto& [knob, value] : changes) {
      if (value == 666) return "not this one";
    }
    return {};
  }
  std::string why_not_now(const Assignments& /*changes*/) const override {
    if (when_asked) when_asked();
    return not_now;
  }
  std::string write(const Assignments& changes) override {
    ++calls;
    for (const auto& [knob, value] : changes) {
      auto& fake = static_cast<FakeKnob&>(*knob);
      ++fake.writes;
      if (fake.on_write) fake.on_write();
      if (!fake.failure.empty()) return fake.failure;
      if (fake.throws) throw std::runtime_error("no more threads");
    }
    for (const auto& [knob, value] : changes) static_cast<FakeKnob&>(*knob).write(value);
    if (after_write) after_write();
    return {};
  }
  bool moved_along(const Knob& knob, std::int64_t before, std::int64_t after) const override {
    return knob.name() == moves && before == 0 && after == 7;
  }

  std::function<std::string(const FakeGroup&, const Assignments&)> contradicts;
  std::function<void()> after_write;
  std::string moves;
  std::string not_now;
  std::function<void()> when_asked;  // why_not_now()
  int calls = 0;
};

}  // namespace rocktune::agent::testing
