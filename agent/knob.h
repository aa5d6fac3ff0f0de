// One value that the agent can change: how to read it, what is accepted, how to write it.
//
// Thread-safety: value() from any thread; the rest from the thread that makes changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "agent/knob_state.h"

namespace rocktune::agent {

class Knob {
 public:
  struct Range {
    std::int64_t min = 0;
    std::int64_t max = 0;
  };
  struct Reading {
    std::int64_t value = 0;
    std::uint64_t generation = 0;
  };
  // kCached may be up to a second old where reading is expensive.
  enum class Freshness { kCached, kFresh };

  Knob(std::string name, std::shared_ptr<KnobState> state)
      : name_(std::move(name)), state_(std::move(state)) {}
  virtual ~Knob() = default;
  Knob(const Knob&) = delete;
  Knob& operator=(const Knob&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] KnobState& state() const { return *state_; }

  // Empty when it can be changed.
  [[nodiscard]] virtual std::string why_not_changeable() const = 0;
  [[nodiscard]] virtual Range range() const = 0;
  // Beyond the range: empty, or why this value must not reach RocksDB now.
  [[nodiscard]] virtual std::string why_refused(std::int64_t /*value*/) const { return {}; }
  [[nodiscard]] virtual Reading read(Freshness freshness) = 0;
  // Empty, or what RocksDB said. Does not check the value.
  virtual std::string write(std::int64_t value) = 0;

 private:
  const std::string name_;
  const std::shared_ptr<KnobState> state_;
};

}  // namespace rocktune::agent
