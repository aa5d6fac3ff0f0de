// What serves requests: the socket, a thread for connections and samples, and those for changes and
// the ends of leases (agent/workers.h), since a change may have to wait for RocksDB.
//
// Made once for a process and never destroyed after start(). An exception out of a handler (no
// memory, no descriptors) costs that request: the threads go on, and begin again what it may have
// left undone.
//
// Thread-safety: start() and stop() from one thread at a time.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "agent/registry.h"
#include "agent/router.h"
#include "agent/server.h"
#include "agent/socket_file.h"
#include "agent/workers.h"

namespace rocktune::agent {

// Runs `io` until it is stopped. After each exception out of a handler it waits for `pause`, since
// what is short may be back then, and calls `begin`, which starts what the loop is for.
void run_loop(boost::asio::io_context& io, const std::function<void()>& begin,
              std::chrono::milliseconds pause) noexcept;

class Service {
 public:
  // Takes over the descriptor of `file`.
  Service(Registry& registry, SocketFile file, wire::Hello hello);

  [[nodiscard]] const std::string& path() const { return file_.path(); }

  // Throws when there are no threads to be had; nothing runs then.
  void start();
  // Waits at most five seconds for the threads. One that RocksDB does not let go is left to the end
  // of the process.
  void stop() noexcept;

 private:
  void begin();
  void wait_for_tick();
  void post_due(const std::shared_ptr<Database>& database);
  // Where somebody has removed the socket's file: hosts would have to be started anew to be seen.
  void restore_file();

  Registry& registry_;
  SocketFile file_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;  // runs io_
  std::atomic<bool> ended_{false};
  Workers workers_;
  Router router_;
  Server server_;
  boost::asio::steady_timer timer_;
  int ticks_ = 0;  // since it was looked whether the file is there
};

}  // namespace rocktune::agent
