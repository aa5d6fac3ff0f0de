// One connection to the agent. Lives as long as one of its operations is under way.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>

#include "agent/fork_guard.h"
#include "agent/router.h"

namespace rocktune::agent {

class Server;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Server& server, boost::asio::local::stream_protocol::socket socket, ForkSlot fork_slot);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Waits for the next request, for as long as a keep-alive connection may be idle.
  void wait_for_request();

 private:
  using Body = boost::beast::http::string_body;

  void read_request();
  void on_header();
  void read_body();
  void on_request();
  void hand_over(Request request);
  // What the HTTP parser objects to.
  void on_bad_request(boost::system::error_code error);
  void refuse(unsigned status, const char* code, const char* message);
  void respond(Response response);
  void begin_to_close();
  void discard();

  Server& server_;
  boost::beast::basic_stream<boost::asio::local::stream_protocol> stream_;
  const ForkSlot fork_slot_;  // goes before the stream
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<Body>> parser_;
  std::optional<boost::beast::http::response<Body>> response_;
  bool keep_alive_ = false;
  bool head_ = false;  // what is asked for is the header of the answer alone
  bool http_1_0_ = false;
};

}  // namespace rocktune::agent
