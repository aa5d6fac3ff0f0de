#include "agent/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "agent/fork_guard.h"
#include "agent/session.h"
#include "agent/socket_file.h"

namespace rocktune::agent {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::chrono::seconds kPauseAfterError{1};

void turn_away(int descriptor) {
  constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  // Best effort: it fits the socket's buffer or is lost.
  [[maybe_unused]] const auto sent =
      ::send(descriptor, kBusy.data(), kBusy.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  ::close(descriptor);
}

}  // namespace

Server::Server(boost::asio::io_context& io, boost::asio::io_context& worker, Router& router,
               int descriptor)
    : io_(io),
      worker_(worker),
      router_(router),
      acceptor_(io, stream_protocol(), descriptor),
      pause_(io) {
  add_socket(descriptor);  // for the life of the process
}

void Server::wait_for_connection() {
  acceptor_.async_wait(stream_protocol::acceptor::wait_read, [this](error_code error) {
    if (error) return;
    accept_all();
  });
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
  if (connections_ >= kMaxConnections) return turn_away(descriptor);
  const int slot = add_socket(descriptor);
  if (slot < 0) return turn_away(descriptor);
  std::make_shared<Session>(*this, stream_protocol::socket(io_, stream_protocol(), descriptor),
                            slot)
      ->wait_for_request();
}

}  // namespace rocktune::agent
