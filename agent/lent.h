// An object of the host's that the agent uses until it lets go of it.
//
// After end() the agent has no reference to it on any thread, and gives none back later: the object
// never dies on one of the agent's threads because of a request that was under way.
//
// Thread-safety: all functions. end() waits for the users, so a user must not wait for whoever
// calls it. Nothing else waits: a second use in a thread is harmless.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "agent/gate.h"

namespace rocktune::agent {

template <class T>
class Lent {
 public:
  // While it lives, so does the object.
  class Use {
   public:
    explicit Use(const Lent& lent)
        : pass_(lent.gate_), object_(pass_ ? lent.object_.get() : nullptr) {}
    // False: there is none, or no more.
    explicit operator bool() const { return object_ != nullptr; }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_; }

   private:
    const Gate::Pass pass_;
    T* const object_;
  };

  explicit Lent(std::shared_ptr<T> object) : object_(std::move(object)) {}

  [[nodiscard]] Use use() const { return Use(*this); }
  void end() {
    gate_.close();
    const std::lock_guard lock(ending_);
    object_.reset();
  }

 private:
  mutable Gate gate_;
  std::mutex ending_;  // of those who end it, among themselves
  std::shared_ptr<T> object_;
};

}  // namespace rocktune::agent
