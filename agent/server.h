// HTTP/1.1 over the agent's Unix socket: keep-alive, at most 8 connections, 8 KiB of header and 64
// KiB of body, 5 s to send a request or take an answer, 60 s of idleness between two.
//
// Everything runs on the one thread that runs `io`, except requests that change something: these
// are handled by `workers`, so that sampling goes on while RocksDB takes its time. These take fewer
// than there may be connections: one whose client has given up stays until RocksDB lets go.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "agent/fork_guard.h"
#include "agent/router.h"
#include "agent/workers.h"

namespace rocktune::agent {

class Server {
 public:
  static constexpr int kMaxConnections = 8;

  // Takes over `descriptor`, a listening socket, whether it throws or not.
  Server(boost::asio::io_context& io, Workers& workers, Router& router, int descriptor);

  // Can be called again, after an exception.
  void start() { wait_for_connection(); }
  // Another listening socket instead, which is taken over, whether it throws or not; connections
  // stay as they are. On the thread that runs `io`.
  void listen_at(int descriptor);

 private:
  friend class Session;

  void wait_for_connection();
  void accept_all();
  void admit(int descriptor);

  boost::asio::io_context& io_;
  Workers& workers_;
  Router& router_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  std::optional<ForkSlot> fork_slot_;
  boost::asio::steady_timer pause_;
  std::atomic<int> connections_{0};  // a session may end on a worker, where memory is short
};

}  // namespace rocktune::agent
