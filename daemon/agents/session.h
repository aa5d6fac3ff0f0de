// Session: wire v1 as spoken with one agent. Each call is one request; errors say which.
//
// Reads, commands and events have a connection each, since a change may take longer than a poll and
// must not delay it. At most one of each at a time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "daemon/agents/connection.h"
#include "wire/codec.h"

namespace rocktune::daemon {

class Session {
 public:
  // `allowance`: as Connection's; not for commands, whose answers are small: what samples took of
  // it keeps nobody from changing, or taking back, what is changed.
  Session(boost::asio::any_io_executor executor, std::string socket_path,
          std::shared_ptr<Allowance> allowance = nullptr)
      : reads_(executor, socket_path, allowance),
        commands_(executor, socket_path),
        events_(std::move(executor), std::move(socket_path), std::move(allowance)) {}

  template <class T>
  using Answer = boost::asio::awaitable<Result<T>>;

  // An agent of another wire version is kUnsupported.
  Answer<wire::Hello> hello(Nanoseconds deadline);
  Answer<std::vector<wire::Database>> databases(Nanoseconds deadline);
  // With a holder this renews its lease. kProtocol also for one that is too large (check_extent()).
  Answer<wire::Sample> sample(std::string database, std::string holder, Nanoseconds deadline);
  Answer<wire::Events> events(std::string database, std::uint64_t after, Nanoseconds deadline);
  Answer<wire::Knobs> knobs(std::string database, Nanoseconds deadline);
  Answer<wire::Options> options(std::string database, Nanoseconds deadline);
  // The knobs after a command, on the commands' connection.
  Answer<wire::Knobs> knobs_now(std::string database, Nanoseconds deadline);
  Answer<wire::Lease> lease(std::string database, wire::Lease wanted, Nanoseconds deadline);
  Answer<wire::ChangeResults> changes(std::string database, wire::ChangesRequest request,
                                      Nanoseconds deadline);
  Answer<wire::ChangeResults> restore(std::string database, bool hold, Nanoseconds deadline);
  Answer<wire::ChangeResults> release(std::string database, wire::ReleaseRequest request,
                                      Nanoseconds deadline);
  // Who answers reads; asked after hello().
  [[nodiscard]] const std::optional<PeerProcess>& peer() const { return reads_.peer(); }
  void close() {
    reads_.close();
    commands_.close();
    events_.close();
  }

 private:
  template <class T>
  Answer<T> ask(Connection& connection, std::string target, std::string body, Nanoseconds deadline,
                std::uint64_t most = Connection::kLargestBody);
  Connection reads_, commands_, events_;
};

// What an agent says of an error, or of a change, as logs, traces and statuses keep it: its first
// 500 bytes.
std::string shortened(std::string text);

// A name as part of a URL: everything but letters, digits and -._~ escaped.
std::string url_escape(std::string_view text);

}  // namespace rocktune::daemon
