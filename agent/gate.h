// Lets others use something until its end begins, and the end wait for those inside: requests a
// database, readers a column family's handle, a copy of its options or a cache of the host's.
//
// Thread-safety: all functions.
#pragma once

#include <condition_variable>
#include <mutex>

namespace rocktune::agent {

class Gate {
 public:
  // Proof of being inside; false once the gate is closed.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(gate.enter() ? &gate : nullptr) {}
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    explicit operator bool() const { return gate_ != nullptr; }

   private:
    Gate* const gate_;
  };

  // Nobody enters after this, and everybody has left when it returns. Idempotent.
  void close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    empty_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  bool enter() {
    const std::lock_guard lock(mutex_);
    if (!closed_) ++inside_;
    return !closed_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) empty_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable empty_;
  int inside_ = 0;
  bool closed_ = false;
};

}  // namespace rocktune::agent
