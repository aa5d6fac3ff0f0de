#include "tools/stop.h"

#include <atomic>
#include <csignal>

namespace rocktune::tools {
namespace {

std::atomic<bool> stop_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is set in a signal's handler");

extern "C" void on_stop_signal(int /*signal*/) {
  stop_flag.store(true);
}

}  // namespace

void take_stop_signals() {
  struct sigaction action{};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESETHAND;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
}

bool stop_requested() {
  return stop_flag.load();
}

}  // namespace rocktune::tools
