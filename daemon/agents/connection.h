// Connection: HTTP/1.1 over one agent's Unix socket, kept alive between requests.
//
// Every request has a deadline; a slow, closed, talkative or garbled peer gives an error and a
// closed connection, and the next request begins with a new one. One request at a time. All on the
// executor given; not thread-safe.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "files/peer_process.h"
#include "model/clock.h"
#include "model/result.h"

namespace rocktune::daemon {

struct HttpReply {
  unsigned status = 0;
  std::string body;
};

class Connection {
 public:
  Connection(boost::asio::any_io_executor executor, std::string socket_path);
  ~Connection();

  // GET when `body` is empty, else POST with that JSON. `deadline` is a monotonic tick.
  // kIo: nobody listens there (refused, or no such socket); kUnavailable: timed out or hung up;
  // kPermission: may not be reached, or not trusted (check_user()); kProtocol: not HTTP, or larger
  // than the limit.
  boost::asio::awaitable<Result<HttpReply>> request(std::string target, std::string body,
                                                    Nanoseconds deadline);
  void close();
  // Who listens: known once a connection was made.
  [[nodiscard]] const std::optional<PeerProcess>& peer() const { return peer_; }

 private:
  struct Stream;
  boost::asio::awaitable<Result<void>> connect(Nanoseconds deadline);
  boost::asio::awaitable<Result<HttpReply>> exchange(std::string target, std::string body,
                                                     Nanoseconds deadline);
  boost::asio::any_io_executor executor_;
  std::string path_;
  std::shared_ptr<Stream> stream_;
  std::optional<PeerProcess> peer_;
};

}  // namespace rocktune::daemon
