#include "agent/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "agent/session.h"
#include "agent/socket_file.h"

namespace rocktune::agent {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::chrono::seconds kPauseAfterError{1};

void turn_away(stream_protocol::socket& socket) {
  constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  // Best effort: it fits the socket's buffer or is lost.
  [[maybe_unused]] const auto sent =
      ::send(socket.native_handle(), kBusy.data(), kBusy.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

// Whatever throws must not leave the descriptor to nobody: the first acceptor of all makes those of
// Asio's own, which a host at its limit does not have.
stream_protocol::acceptor take_over(boost::asio::io_context& io, int descriptor) try {
  stream_protocol::acceptor acceptor(io);
  acceptor.assign(stream_protocol(), descriptor);
  return acceptor;
} catch (...) {
  ::close(descriptor);
  throw;
}

}  // namespace

Server::Server(boost::asio::io_context& io, Workers& workers, Router& router, int descriptor)
    : io_(io),
      workers_(workers),
      router_(router),
      acceptor_(take_over(io, descriptor)),
      fork_slot_(std::in_place, descriptor),
      pause_(io) {}

void Server::wait_for_connection() {
  error_code ignored;
  acceptor_.cancel(ignored);  // one wait at a time, also when an exception has come between
  acceptor_.async_wait(stream_protocol::acceptor::wait_read, [this](error_code error) {
    if (error) return;
    accept_all();
  });
}

void Server::listen_at(int descriptor) {
  ForkSlot slot(descriptor);  // a child of this moment is not to hold it either
  stream_protocol::acceptor acceptor = take_over(io_, descriptor);
  fork_slot_.reset();
  acceptor_ = std::move(acceptor);
  fork_slot_.emplace(std::move(slot));
  wait_for_connection();
}

// accept4 instead of Asio's accept: the descriptor must not live for a moment without CLOEXEC.
void Server::accept_all() {
  for (;;) {
    const int descriptor =
        ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor >= 0) {
      admit(descriptor);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return wait_for_connection();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      // Out of descriptors, most likely: the host needs them more than we do.
      pause_.expires_after(kPauseAfterError);
      return pause_.async_wait([this](error_code error) {
        if (!error) wait_for_connection();
      });
    }
  }
}

void Server::admit(int descriptor) {
  if (!peer_is_trusted(descriptor)) {
    ::close(descriptor);
    return;
  }
  stream_protocol::socket socket(io_);
  error_code failed;
  socket.assign(stream_protocol(), descriptor, failed);
  if (failed) {  // the kernel has no room to watch another one
    ::close(descriptor);
    return;
  }
  ForkSlot slot(descriptor);
  if (connections_ >= kMaxConnections || !slot) return turn_away(socket);
  std::make_shared<Session>(*this, std::move(socket), std::move(slot))->wait_for_request();
}

}  // namespace rocktune::agent
