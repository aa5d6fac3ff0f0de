#include "agent/workers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "agent/thread.h"

namespace rocktune::agent {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWorkersStopPoll{1};

}  // namespace

void Workers::start() {
  const std::lock_guard lock(mutex_);
  begin_thread();
}

void Workers::begin_thread() {
  auto& worker = workers_.at(threads_);
  worker.thread = start_thread("rocktune-change", [this, &worker] { run(worker); });
  ++threads_;
}

bool Workers::post(const std::string& database, Request request) {
  const std::lock_guard lock(mutex_);
  if (!room_for_request(database)) return false;
  add({database, true, std::move(request), {}});
  begin_another_if_stuck();
  return true;
}

void Workers::post_due(const std::string& database, Task task) {
  const std::lock_guard lock(mutex_);
  if (!due_.contains(database)) {
    add({database,
         false,
         [task = std::move(task)] {
           task();
           return Task();
         },
         {}});
    due_.insert(database);  // last: without memory for it the next one is let in, not none any more
  }
  begin_another_if_stuck();
}

void Workers::add(Item item) {
  item.since = steady_clock::now();
  waiting_.push_back(std::move(item));
  changed_.notify_one();
}

bool Workers::room_for_request(const std::string& database) const {
  int all = 0;
  int of_database = 0;
  const auto count = [&](const auto& one) {
    if (!one.request) return;
    ++all;
    if (one.database == database) ++of_database;
  };
  std::ranges::for_each(waiting_, count);
  for (const auto& worker : std::span(workers_).first(threads_)) {
    if (worker.busy) count(worker);
  }
  return all < kMostRequests && of_database < kMostRequestsOfDatabase;
}

void Workers::begin_another_if_stuck() {
  const auto first = next();
  if (stopping_ || threads_ == kMostThreads || first == waiting_.end()) return;
  const auto now = steady_clock::now();
  const bool waits = now - first->since >= patience_;
  const bool stuck = std::ranges::all_of(std::span(workers_).first(threads_), [&](const auto& w) {
    return w.busy && (waits || now - w.since >= patience_);
  });
  if (!stuck) return;
  try {
    begin_thread();
  } catch (...) {  // no thread to be had: it waits for one of those that are there
  }
}

bool Workers::running(const std::string& database) const {
  return std::ranges::any_of(std::span(workers_).first(threads_), [&](const auto& worker) {
    return worker.busy && worker.database == database;
  });
}

// The first one whose database is free.
std::deque<Workers::Item>::iterator Workers::next() {
  return std::ranges::find_if(waiting_,
                              [this](const auto& item) { return !running(item.database); });
}

void Workers::run(Worker& worker) {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto item = next();
    if (item == waiting_.end()) {
      changed_.wait(lock);
    } else {
      run_one(worker, item, lock);
    }
  }
  worker.ended.store(true);
}

void Workers::run_one(Worker& worker, const std::deque<Item>::iterator& item,
                      std::unique_lock<std::mutex>& lock) {
  worker.database = std::move(item->database);
  worker.request = item->request;
  worker.since = steady_clock::now();
  worker.busy = true;
  Request work = std::move(item->work);
  waiting_.erase(item);
  lock.unlock();
  Task then;
  try {
    then = work();
  } catch (...) {
  }
  work = nullptr;  // what it holds goes before the next one of this database begins
  lock.lock();
  worker.busy = false;
  if (!worker.request) due_.erase(worker.database);
  if (!then) return;
  lock.unlock();
  try {
    then();
  } catch (...) {
  }
  then = nullptr;
  lock.lock();
}

bool Workers::stop(TimePoint until) noexcept {
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    count = threads_;
    changed_.notify_all();
  }
  bool all = true;
  for (auto& worker : std::span(workers_).first(count)) {
    while (!worker.ended.load() && steady_clock::now() < until) {
      std::this_thread::sleep_for(kWorkersStopPoll);
    }
    if (worker.ended.load()) {
      worker.thread.join();
    } else {
      all = false;
    }
  }
  return all;
}

std::size_t Workers::threads() const {
  const std::lock_guard lock(mutex_);
  return threads_;
}

}  // namespace rocktune::agent
