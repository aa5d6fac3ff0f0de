// The threads that change databases. Tasks of one database run in order and one at a time, those of
// different databases side by side: one that RocksDB keeps waiting holds up no other. A database is
// a name here: what shares no state with the rest of it has one of its own (Router::queue_of).
//
// Threads are few: one from the start, and another one only when a task waits while each of them
// has been at its task for longer than `patience`, or one of a database of its own has waited for
// as long, up to kMostThreads. With as many databases stuck at once, the others wait.
//
// Never destroyed after start(). Thread-safety: all functions but start(), which comes first.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>

namespace rocktune::agent {

class Workers {
 public:
  using Task = std::function<void()>;  // what it throws is lost
  // A request's work; it returns what tells the client, to be called when its place is free again.
  using Request = std::function<Task()>;
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::size_t kMostThreads = 8;
  static constexpr std::chrono::milliseconds kPatience{100};
  // Requests that are under way, in all and of one database.
  static constexpr int kMostRequests = 6;
  static constexpr int kMostRequestsOfDatabase = 2;

  explicit Workers(std::chrono::milliseconds patience = kPatience) : patience_(patience) {}

  // Throws when there is no thread to be had.
  void start();

  // A client's request. False when too many are under way: it will not be run.
  bool post(const std::string& database, Request request);
  // What is to be done now and then, after the requests that are there: left out while such a task
  // of this database is running or waiting. The call is what notices, at the latest, that all
  // threads are stuck.
  void post_due(const std::string& database, Task task);

  // Begins no further task. True when the threads have ended by `until`; the others are left to the
  // end of the process.
  bool stop(TimePoint until) noexcept;

  [[nodiscard]] std::size_t threads() const;

 private:
  struct Item {
    std::string database;
    bool request = false;
    Request work;
    TimePoint since;
  };
  struct Worker {
    std::thread thread;
    std::atomic<bool> ended{false};
    bool busy = false;
    std::string database;  // while busy, as what follows
    bool request = false;
    TimePoint since;
  };

  void run(Worker& worker);
  void run_one(Worker& worker, const std::deque<Item>::iterator& item,
               std::unique_lock<std::mutex>& lock);
  // The rest with the mutex held.
  void add(Item item);
  [[nodiscard]] bool room_for_request(const std::string& database) const;
  void begin_thread();
  void begin_another_if_stuck();
  [[nodiscard]] bool running(const std::string& database) const;
  [[nodiscard]] std::deque<Item>::iterator next();

  const std::chrono::milliseconds patience_;
  mutable std::mutex mutex_;  // guards what follows; never held while a task runs
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<Item> waiting_;
  std::unordered_set<std::string> due_;  // the databases of which such a task runs or waits
  std::size_t threads_ = 0;
  std::array<Worker, kMostThreads> workers_;
};

}  // namespace rocktune::agent
