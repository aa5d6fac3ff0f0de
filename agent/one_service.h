// The one service of the process, and its end at exit(), which another thread may call at any
// moment of its start: whoever comes second ends it, and nothing runs once the exit handler has
// returned.
//
// Thread-safety: all functions; serve() by one thread at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "agent/exiting.h"

namespace rocktune::agent {

template <class Service>
class OneService {
 public:
  // Of one that was started, and is never destroyed from now on. False: exit() has begun meanwhile,
  // and it is stopped.
  bool serve(std::unique_ptr<Service> started) noexcept {
    service_.store(started.release());
    if (!exiting()) return true;  // then the exit handler finds it
    stop();
    return false;
  }
  // After exit_begun() is set.
  void stop() noexcept {
    auto* const service = service_.load();
    if (service == nullptr) return;
    const std::lock_guard lock(stopping_);  // the second one waits for the first
    if (!stopped_) service->stop();
    stopped_ = true;
  }
  [[nodiscard]] bool serves() const noexcept { return service_.load() != nullptr; }

 private:
  std::atomic<Service*> service_{nullptr};  // kept, so that a leak checker finds it
  std::mutex stopping_;
  bool stopped_ = false;
};

}  // namespace rocktune::agent
