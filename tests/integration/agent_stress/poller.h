// Polls an agent over its socket as the daemon does, changes values all the while, and checks that
// every answer is one of the protocol's.
#pragma once

#include <atomic>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

namespace rocktune::stress {

constexpr std::chrono::milliseconds kPollInterval{10};

class Poller {
 public:
  struct Habits {
    std::chrono::milliseconds interval = kPollInterval;
    double lease_seconds = 5;
    std::string column_family;  // whose options it changes as well
    bool host_may_end = false;  // then its end is the poller's, and no failure
  };

  Poller(std::string socket, Habits habits);
  explicit Poller(std::string socket) : Poller(std::move(socket), Habits{}) {}
  ~Poller() { stop(); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void stop();
  // Until that many more samples were answered, or requests that change values (whether or not they
  // were refused); or until that many more changes were applied to the column family. Fails after a
  // minute.
  void wait_for_samples(std::uint64_t more);
  void wait_for_changes(std::uint64_t more);
  void wait_for_family_changes(std::uint64_t more);
  [[nodiscard]] std::string summary() const;

  std::atomic<std::uint64_t> rounds{0}, samples{0}, changes{0}, family_changes{0}, gone{0};

 private:
  using Socket = boost::asio::local::stream_protocol::socket;
  using Verb = boost::beast::http::verb;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  void run();
  void poll(Socket& socket, std::uint64_t round);
  void change(Socket& socket, const std::string& base, std::uint64_t round);
  void trace(Socket& socket, const std::string& database, std::uint64_t round);
  Response ask(Socket& socket, Verb verb, const std::string& target, const std::string& body);
  bool answered(const std::string& target, const Response& response);
  template <class T>
  std::optional<T> visit(Socket& socket, Verb verb, const std::string& target,
                         const std::string& body);

  const std::string path_;
  const Habits habits_;
  boost::beast::flat_buffer buffer_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace rocktune::stress
