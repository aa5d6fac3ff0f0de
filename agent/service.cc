#include "agent/service.h"

#include <chrono>
#include <utility>

#include "agent/thread.h"

namespace rocktune::agent {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{200};  // between two looks at the leases
constexpr int kTicksBetweenLooks = 10;           // at the socket's file
constexpr std::chrono::milliseconds kPauseAfterException{100};
constexpr std::chrono::seconds kLongestStop{5};
constexpr std::chrono::milliseconds kServiceStopPoll{1};

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
      work_(io_.get_executor()),
      router_(registry, std::move(hello)),
      server_(io_, workers_, router_, file_.descriptor()),
      timer_(io_) {}

void Service::start() {
  workers_.start();
  try {
    begin();
    thread_ = start_thread("rocktune-agent", [this] {
      run_loop(io_, [this] { begin(); }, kPauseAfterException);
      ended_.store(true);
    });
  } catch (...) {
    workers_.stop(steady_clock::now() + kLongestStop);
    throw;
  }
}

void Service::stop() noexcept try {
  io_.stop();
  const auto until = steady_clock::now() + kLongestStop;
  workers_.stop(until);
  while (!ended_.load() && steady_clock::now() < until)
    std::this_thread::sleep_for(kServiceStopPoll);
  if (!ended_.load()) return;  // the file is its, too: who comes next removes it
  thread_.join();
  file_.remove();
} catch (...) {
}

void Service::begin() {
  server_.start();
  wait_for_tick();
}

void Service::wait_for_tick() {
  timer_.expires_after(kTick);  // ends a wait that is under way
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    wait_for_tick();
    for (const auto& database : registry_.all()) post_due(database);
    if (++ticks_ >= kTicksBetweenLooks) restore_file();
  });
}

void Service::post_due(const std::shared_ptr<Database>& database) {
  const auto& id = database->description().id;
  workers_.post_due(op_trace_queue(id), [database] {
    if (const auto inside = database->pass()) database->op_trace().tick();
  });
  workers_.post_due(id, [database] {
    if (const auto inside = database->pass()) database->control().tick();
  });
}

void Service::restore_file() {
  ticks_ = 0;
  if (!file_.is_gone() || !file_.listen_again()) return;
  try {
    server_.listen_at(file_.descriptor());
  } catch (...) {  // tried again with the next look
    file_.remove();
    throw;
  }
}

}  // namespace rocktune::agent
