#include "agent/thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace rocktune::agent {
namespace {

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

 private:
  sigset_t before_{};
};

}  // namespace

std::thread start_thread(const char* name, std::function<void()> run) {
  const SignalsBlocked blocked;  // a new thread takes over its creator's
  std::thread thread(std::move(run));
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace rocktune::agent
