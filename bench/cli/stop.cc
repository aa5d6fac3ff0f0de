#include "bench/cli/stop.h"

#include <csignal>

namespace rocktune::bench {
namespace {

std::atomic<bool> g_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// A second Ctrl-C ends this process at once. SIGTERM stays handled: a child whose parent ended so
// gets one more (PR_SET_PDEATHSIG), and is to take its device down all the same.
void on_signal(int signal) {
  g_stop.store(true);
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

std::atomic<bool>& stop_requested() {
  return g_stop;
}

void install_stop_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup{};  // a terminal that was closed; nohup has it ignored
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

}  // namespace rocktune::bench
