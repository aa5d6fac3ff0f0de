#include "agent/service.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <utility>

namespace rocktune::agent {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{200};  // between two looks at the leases
constexpr std::chrono::milliseconds kPauseAfterException{100};
constexpr std::chrono::seconds kLongestStop{5};
constexpr std::chrono::milliseconds kStopPoll{1};

// The handlers of the host's signals must not run on our threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void run_loop(boost::asio::io_context& io, const std::function<void()>& begin,
              std::chrono::milliseconds pause) noexcept {
  bool interrupted = false;
  while (!io.stopped()) {
    try {
      if (interrupted) begin();
      interrupted = false;
      io.run();
    } catch (...) {
      interrupted = true;
      std::this_thread::sleep_for(pause);
    }
  }
}

Service::Service(Registry& registry, SocketFile file, wire::Hello hello)
    : registry_(registry),
      file_(std::move(file)),
      router_(registry, std::move(hello)),
      server_(connections_.io, changes_.io, router_, file_.descriptor()),
      timer_(changes_.io) {}

void Service::start(Loop& loop, const char* name, std::function<void()> begin) {
  begin();
  const SignalsBlocked blocked;
  loop.thread = std::thread([&loop, begin = std::move(begin)] {
    run_loop(loop.io, begin, kPauseAfterException);
    loop.ended.store(true);
  });
  pthread_setname_np(loop.thread.native_handle(), name);
}

void Service::start() {
  start(changes_, "rocktune-change", [this] { wait_for_tick(); });
  try {
    start(connections_, "rocktune-agent", [this] { server_.start(); });
  } catch (...) {
    changes_.io.stop();
    changes_.thread.join();
    throw;
  }
}

void Service::stop() noexcept try {
  connections_.io.stop();
  changes_.io.stop();
  const auto until = steady_clock::now() + kLongestStop;
  for (auto* const loop : {&connections_, &changes_}) {
    while (!loop->ended.load() && steady_clock::now() < until) {
      std::this_thread::sleep_for(kStopPoll);
    }
    if (loop->ended.load()) loop->thread.join();
  }
  file_.remove();
} catch (...) {
}

void Service::wait_for_tick() {
  timer_.expires_after(kTick);  // ends a wait that is under way
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    wait_for_tick();
    for (const auto& database : registry_.all()) {
      if (const auto inside = database->pass()) database->control().tick();
    }
  });
}

}  // namespace rocktune::agent
