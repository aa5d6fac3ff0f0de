#include "agent/thread.h"

#include <pthread.h>

#include <exception>
#include <latch>
#include <optional>
#include <utility>
#include <vector>

namespace rocktune::agent {
namespace {

thread_local std::optional<sigset_t> hosts_mask;  // of a thread of the agent's

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    // What a thread does to itself: the host's handler has to see it, of whatever thread.
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) {
      sigdelset(&all, own);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

}  // namespace

std::thread start_thread(const char* name, std::function<void()> run) {
  const SignalsBlocked blocked;  // a new thread takes over its creator's
  std::thread thread([run = std::move(run), mask = hosts_mask.value_or(blocked.before())] {
    hosts_mask = mask;
    run();
  });
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

bool threads_to_be_had(std::size_t count) {
  std::vector<std::thread> started;
  std::latch end(1);
  bool all = true;
  try {
    started.reserve(count);
    while (started.size() < count) {
      started.push_back(start_thread("rocktune-try", [&end] { end.wait(); }));
    }
  } catch (const std::exception&) {  // no thread, or no memory for one
    all = false;
  }
  end.count_down();
  for (auto& thread : started) thread.join();
  return all;
}

HostsSignals::HostsSignals() {
  if (hosts_mask) pthread_sigmask(SIG_SETMASK, &*hosts_mask, &before_);
}

HostsSignals::~HostsSignals() {
  if (hosts_mask) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace rocktune::agent
