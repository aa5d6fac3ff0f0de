// One value that the agent can change, and the group of values that RocksDB
// takes in one call.
//
// Thread-safety: info, state and read() from any thread; the rest while holding
// the group's lock().
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/catalogue.h"
#include "agent/knob_state.h"
#include "agent/machine.h"

namespace rocktune::agent {

class Knob {
 public:
  struct Range {
    std::int64_t min = 0;
    std::int64_t max = 0;
  };
  struct Reading {
    std::int64_t value = 0;
    // Of the state, from before the value was read; kNoGeneration if it is the last one's.
    std::uint64_t generation = 0;
  };

  Knob(const KnobInfo& info, std::shared_ptr<KnobState> state)
      : info_(info), name_(info.name), state_(std::move(state)) {}
  virtual ~Knob() = default;
  Knob(const Knob&) = delete;
  Knob& operator=(const Knob&) = delete;

  [[nodiscard]] const KnobInfo& info() const { return info_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] KnobState& state() const { return *state_; }

  // Empty when this database can change it; any thread.
  [[nodiscard]] virtual std::string why_not_changeable() const = 0;
  // The catalogue's, as far as the machine has it; any thread.
  [[nodiscard]] virtual Range range() const {
    return {info_.min, std::max(info_.min, std::min(info_.max, ceiling_of(info_.ceiling)))};
  }
  // May be up to a second old where reading is expensive, unless the group was
  // refreshed. After the group's end the last value that was read.
  [[nodiscard]] virtual Reading read() = 0;

 private:
  const KnobInfo& info_;
  const std::string name_;
  const std::shared_ptr<KnobState> state_;
};

class KnobGroup {
 public:
  struct Assignment {
    Knob* knob;
    std::int64_t value;
  };
  using Assignments = std::vector<Assignment>;

  KnobGroup(Scope scope, std::string column_family)
      : scope_(scope), column_family_(std::move(column_family)) {}
  virtual ~KnobGroup() = default;
  KnobGroup(const KnobGroup&) = delete;
  KnobGroup& operator=(const KnobGroup&) = delete;

  [[nodiscard]] Scope scope() const { return scope_; }
  [[nodiscard]] const std::string& column_family() const { return column_family_; }
  // Its write() goes through SetOptions or SetDBOptions; the others' are done at once.
  [[nodiscard]] bool writes_options() const {
    return scope_ == Scope::kDatabase || scope_ == Scope::kColumnFamily;
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Knob>>& knobs() const { return knobs_; }
  [[nodiscard]] Knob* find(std::string_view name) const {
    const auto found = std::ranges::find(knobs_, name, &Knob::name);
    return found == knobs_.end() ? nullptr : found->get();
  }

  // Held from the first reading of a change to its last.
  [[nodiscard]] std::unique_lock<std::mutex> lock() {
    return std::unique_lock<std::mutex>(changing_);
  }

  // What it writes to is about to go: no change begins after this, but what was changed can still
  // be returned.
  void retire() {
    const auto changing = lock();
    retired_ = true;
  }
  [[nodiscard]] bool retired() const { return retired_; }

  // What it reads and writes goes. Waits for a batch of this group that is under way, and for
  // whoever reads right now; afterwards the group, of which a request may still have a copy, holds
  // no object of the host's that came with its column family. Once: a second caller may return
  // while the first one is still at it.
  void end() noexcept {
    {
      const auto changing = lock();
      if (ended_) return;
      retired_ = ended_ = true;
    }
    let_go();
  }
  [[nodiscard]] bool ended() const { return ended_; }

  // The next read() of each knob is a fresh one.
  virtual void refresh() {}
  // Beyond the ranges, each of them empty or one sentence about these values,
  // together with those that stay as they are: whether they contradict each
  // other, and whether they are more (or less) than the machine or the object
  // can bear.
  [[nodiscard]] virtual std::string contradiction(const Assignments& /*changes*/) const {
    return {};
  }
  [[nodiscard]] virtual std::string excess(const Assignments& /*changes*/) const { return {}; }
  // Empty, or why these shall not be written now, but later: RocksDB would keep write() waiting, or
  // the object could not bear them.
  [[nodiscard]] virtual std::string why_not_now(const Assignments& /*changes*/) const { return {}; }
  // One call of RocksDB's. Empty, or what RocksDB said. Does not check the
  // values.
  virtual std::string write(const Assignments& changes) = 0;
  // True for a value that RocksDB itself moved along with a write, and that
  // cannot go back.
  [[nodiscard]] virtual bool moved_along(const Knob& /*knob*/, std::int64_t /*before*/,
                                         std::int64_t /*after*/) const {
    return false;
  }

 protected:
  void add(std::unique_ptr<Knob> knob) { knobs_.push_back(std::move(knob)); }
  // The part of end() that is of this kind of group; without its lock, so as to wait for readers.
  virtual void let_go() {}

 private:
  const Scope scope_;
  const std::string column_family_;  // empty for what is of the whole database
  std::vector<std::unique_ptr<Knob>> knobs_;
  std::mutex changing_;
  bool retired_ = false;
  bool ended_ = false;
};

}  // namespace rocktune::agent
