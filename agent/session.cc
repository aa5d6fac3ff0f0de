#include "agent/session.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <string_view>
#include <utility>

#include "agent/server.h"

namespace rocktune::agent {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::chrono::seconds kIdle{60};
constexpr std::chrono::seconds kTransfer{5};
constexpr std::chrono::seconds kLinger{1};
constexpr std::size_t kKibibyte = 1024;
constexpr std::size_t kMaxHeaderBytes = 8 * kKibibyte;
constexpr std::size_t kMaxBodyBytes = 64 * kKibibyte;
constexpr std::size_t kReadBytes = 4 * kKibibyte;

// What proxies send, http://host/path, names the same thing as /path.
std::string_view origin_form(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (!target.starts_with(kScheme)) return target;
  target.remove_prefix(kScheme.size());
  const auto path = target.find('/');
  return path == std::string_view::npos ? "/" : target.substr(path);
}

}  // namespace

Session::Session(Server& server, boost::asio::local::stream_protocol::socket socket,
                 ForkSlot fork_slot)
    : server_(server),
      stream_(std::move(socket)),
      fork_slot_(std::move(fork_slot)),
      buffer_(kMaxHeaderBytes + kMaxBodyBytes) {
  ++server_.connections_;
}

Session::~Session() {
  --server_.connections_;
}

void Session::wait_for_request() {
  if (buffer_.size() > 0) return read_request();  // it came with the one before
  stream_.expires_after(kIdle);
  stream_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](error_code error, std::size_t bytes) {
                            if (error) return;
                            self->buffer_.commit(bytes);
                            self->read_request();
                          });
}

void Session::read_request() {
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(kMaxBodyBytes);
  stream_.expires_after(kTransfer);  // for header and body together
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                            if (error) return self->on_bad_request(error);
                            self->on_header();
                          });
}

// A client that asks first does not send its body before it is told to.
void Session::on_header() {
  constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
  const auto& header = parser_->get();
  const auto expected = header.find(http::field::expect);
  if (expected == header.end() || parser_->is_done() || header.version() < 11) return read_body();
  if (!boost::beast::iequals(expected->value(), "100-continue")) {
    return refuse(417, "bad_request", "Expect: the agent knows 100-continue only");
  }
  boost::asio::async_write(stream_, boost::asio::buffer(kGoOn),
                           [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                             if (!error) self->read_body();
                           });
}

void Session::read_body() {
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                     if (error) return self->on_bad_request(error);
                     self->on_request();
                   });
}

void Session::on_request() {
  auto message = parser_->release();
  parser_.reset();
  keep_alive_ = message.keep_alive();
  http_1_0_ = message.version() < 11;
  head_ = message.method() == http::verb::head;
  Request request{head_ ? "GET" : std::string(message.method_string()),
                  std::string(origin_form(message.target())), std::move(message.body())};
  stream_.expires_never();
  if (Router::may_take_long(request)) return hand_over(std::move(request));
  respond(server_.router_.handle(request));
}

void Session::hand_over(Request request) {
  const auto queue = Router::queue_of(request);
  const bool taken = server_.workers_.post(
      queue, [self = shared_from_this(), request = std::move(request)]() mutable {
        auto response = self->server_.router_.handle(request);
        return [self = std::move(self), response = std::move(response)]() mutable {
          auto& io = self->server_.io_;
          // The reference moves along: the session must end on the thread of the connections.
          boost::asio::post(io, [self = std::move(self), response = std::move(response)]() mutable {
            self->respond(std::move(response));
          });
        };
      });
  if (taken) return;
  respond({503, wire::encode(wire::Error{
                    "busy", "RocksDB has not finished the changes before this one; try later"})});
}

void Session::on_bad_request(error_code error) {
  if (error == http::error::body_limit) {
    return refuse(413, "too_large", "a request's body may have at most 64 KiB");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refuse(431, "too_large", "a request's header may have at most 8 KiB");
  }
  const bool is_http =
      error.category() == http::make_error_code(http::error::bad_method).category();
  if (is_http && error != http::error::end_of_stream && error != http::error::partial_message) {
    return refuse(400, "bad_request", "this is not HTTP/1.1");
  }
}

// What follows on this connection cannot be told from the rest of this request.
void Session::refuse(unsigned status, const char* code, const char* message) {
  keep_alive_ = head_ = false;
  respond({status, wire::encode(wire::Error{code, message})});
}

void Session::respond(Response response) {
  auto& message = response_.emplace(static_cast<http::status>(response.status), 11);
  message.set(http::field::content_type, "application/json");
  message.keep_alive(keep_alive_);
  if (http_1_0_ && keep_alive_) message.set(http::field::connection, "keep-alive");
  message.content_length(response.body.size());
  if (!head_) message.body() = std::move(response.body);
  stream_.expires_after(kTransfer);
  http::async_write(stream_, message,
                    [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                      if (error) return;
                      self->response_.reset();  // it may be large, and the next one far away
                      if (self->keep_alive_) return self->wait_for_request();
                      self->begin_to_close();
                    });
}

// A client that is still sending what was refused would see its pipe break before it has read why:
// takes in what comes, for a moment, until the client has closed its end.
void Session::begin_to_close() {
  error_code ignored;
  stream_.socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
  stream_.expires_after(kLinger);
  discard();
}

void Session::discard() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (!error) self->discard();
                          });
}

}  // namespace rocktune::agent
