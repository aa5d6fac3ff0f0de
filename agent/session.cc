#include "agent/session.h"

#include <boost/asio/post.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <utility>

#include "agent/server.h"

namespace rocktune::agent {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::chrono::seconds kIdle{60};
constexpr std::chrono::seconds kTransfer{5};
constexpr std::chrono::seconds kLinger{1};
constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMaxHeaderBytes = 8 * kKiB;
constexpr std::size_t kMaxBodyBytes = 64 * kKiB;
constexpr std::size_t kReadBytes = 4 * kKiB;

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
  stream_.expires_after(kTransfer);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                     if (error) return self->on_bad_request(error);
                     self->on_request();
                   });
}

void Session::on_request() {
  auto message = parser_->release();
  keep_alive_ = message.keep_alive();
  Request request{std::string(message.method_string()), std::string(message.target()),
                  std::move(message.body())};
  stream_.expires_never();
  if (!Router::changes_something(request)) return respond(server_.router_.handle(request));
  boost::asio::post(
      server_.worker_, [self = shared_from_this(), request = std::move(request)]() mutable {
        auto response = self->server_.router_.handle(request);
        auto& io = self->server_.io_;
        // The reference moves along: the session must end on the thread of the connections.
        boost::asio::post(io, [self = std::move(self), response = std::move(response)]() mutable {
          self->respond(std::move(response));
        });
      });
}

void Session::on_bad_request(error_code error) {
  const auto refuse = [this](unsigned status, const char* code, const char* message) {
    keep_alive_ = false;
    respond({status, wire::encode(wire::Error{code, message})});
  };
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

void Session::respond(Response response) {
  auto& message = response_.emplace(static_cast<http::status>(response.status), 11);
  message.set(http::field::content_type, "application/json");
  message.keep_alive(keep_alive_);
  message.body() = std::move(response.body);
  message.prepare_payload();
  stream_.expires_after(kTransfer);
  http::async_write(stream_, message,
                    [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                      if (error) return;
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
