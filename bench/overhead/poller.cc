#include "bench/overhead/poller.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/overhead/http_client.h"

namespace rocktune::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPollerLook{10};  // how often a waiting poller looks whether it is to stop

}  // namespace

Poller::Poller(std::string socket_path, milliseconds interval)
    : socket_path_(std::move(socket_path)), interval_(interval), thread_([this] { run(); }) {}

Poller::~Poller() {
  stop_ = true;
  thread_.join();
}

bool Poller::wait_until(steady_clock::time_point due) const {
  for (auto now = steady_clock::now(); now < due && !stop_; now = steady_clock::now()) {
    std::this_thread::sleep_for(std::min<steady_clock::duration>(due - now, kPollerLook));
  }
  return !stop_;
}

void Poller::run() {
  while (wait_until(steady_clock::now() + kPollerLook)) poll_until_it_fails();
}

void Poller::poll_until_it_fails() {
  auto agent = HttpClient::connect(socket_path_);
  if (!agent) return;
  auto targets = database_targets(*agent);
  for (auto& target : targets) target += "/sample";
  if (targets.empty()) return;
  auto due = steady_clock::now();
  do {
    for (const auto& target : targets) {
      const auto sample = agent->get(target);
      if (!sample) return;
      bytes_ += sample->size();
      ++polls_;
    }
    due = std::max(due + interval_, steady_clock::now());
  } while (wait_until(due));
}

}  // namespace rocktune::bench
