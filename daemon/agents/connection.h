// Connection: HTTP/1.1 over one agent's Unix socket, kept alive between requests.
//
// Every request has a deadline; a slow, closed, talkative or garbled peer gives an error and a
// closed connection, and the next request begins with a new one. One request at a time. All on the
// executor given; not thread-safe.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "daemon/agents/allowance.h"
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
  // A sample of a database with hundreds of column families is some 100 KB.
  static constexpr std::uint64_t kLargestBody = std::uint64_t{8} << 20;

  // `allowance` may be null: as much as comes.
  Connection(boost::asio::any_io_executor executor, std::string socket_path,
             std::shared_ptr<Allowance> allowance = nullptr);
  ~Connection();

  // GET when `body` is empty, else POST with that JSON. `deadline` is a monotonic tick.
  // kIo: nobody listens there (refused, or no such socket); kUnavailable: timed out or hung up;
  // kPermission: may not be reached, or not trusted (check_user()); kProtocol: not HTTP, or a body
  // of more than `most`; kUnavailable also where the allowance is spent.
  boost::asio::awaitable<Result<HttpReply>> request(std::string target, std::string body,
                                                    Nanoseconds deadline,
                                                    std::uint64_t most = kLargestBody);
  void close();
  // Who listens: known once a connection was made.
  [[nodiscard]] const std::optional<PeerProcess>& peer() const { return peer_; }

 private:
  struct Stream;
  boost::asio::awaitable<Result<void>> connect(Nanoseconds deadline);
  boost::asio::awaitable<Result<HttpReply>> exchange(std::string target, std::string body,
                                                     Nanoseconds deadline, std::uint64_t most);
  boost::asio::any_io_executor executor_;
  std::string path_;
  std::shared_ptr<Allowance> allowance_;
  std::shared_ptr<Stream> stream_;
  std::optional<PeerProcess> peer_;
};

}  // namespace rocktune::daemon
