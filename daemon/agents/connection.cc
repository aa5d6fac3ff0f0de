#include "daemon/agents/connection.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace rocktune::daemon {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr auto kToTuple = asio::as_tuple(asio::use_awaitable);

constexpr std::uint32_t kLargestHeader = 16U << 10;

std::chrono::steady_clock::time_point at(Nanoseconds tick) {
  return std::chrono::steady_clock::time_point(tick);
}

Error describe(const boost::system::error_code& error, const std::string& path) {
  if (error == asio::error::connection_refused ||
      error == boost::system::errc::no_such_file_or_directory) {
    return {ErrorCode::kIo, path + ": " + nobody_listens(path) + " (" + error.message() + ")"};
  }
  // "Not connected": the queue of connections is full, since the host does not run.
  if (error == beast::error::timeout || error == asio::error::operation_aborted ||
      error == asio::error::not_connected) {
    return {ErrorCode::kUnavailable, path + ": no answer in time"};
  }
  if (error == boost::system::errc::permission_denied) {
    return {ErrorCode::kPermission, path + ": " + error.message() +
                                        "; rocktuned must run as the database's user or as root"};
  }
  if (error == http::error::end_of_stream || error == asio::error::eof ||
      error == asio::error::broken_pipe || error == asio::error::connection_reset) {
    return {ErrorCode::kUnavailable, path + ": the agent closed the connection"};
  }
  return {ErrorCode::kProtocol, path + ": not a valid answer: " + error.message()};
}

}  // namespace

struct Connection::Stream {
  explicit Stream(const asio::any_io_executor& executor) : socket(executor) {}
  beast::basic_stream<asio::local::stream_protocol, asio::any_io_executor> socket;
  beast::flat_buffer buffer;
  bool used = false;  // an answer came over it before
};

Connection::Connection(asio::any_io_executor executor, std::string socket_path,
                       std::shared_ptr<Allowance> allowance)
    : executor_(std::move(executor)),
      path_(std::move(socket_path)),
      allowance_(std::move(allowance)) {}

Connection::~Connection() {
  close();
}

void Connection::close() {
  if (stream_) stream_->socket.close();
  stream_.reset();
}

asio::awaitable<Result<void>> Connection::connect(Nanoseconds deadline) {
  const auto stream = std::make_shared<Stream>(executor_);
  stream->socket.expires_at(at(deadline));
  const Result<SocketEntry> entry = SocketEntry::open(path_);
  if (!entry) {
    const bool gone = entry.error().code == ErrorCode::kNotFound;  // as where nobody listens
    co_return fail(gone ? ErrorCode::kIo : entry.error().code, entry.error().message);
  }
  const asio::local::stream_protocol::endpoint endpoint(entry->address());
  const auto [error] = co_await stream->socket.async_connect(endpoint, kToTuple);
  if (error) co_return tl::unexpected<Error>(describe(error, path_));
  const Result<PeerProcess> peer = peer_process(stream->socket.socket().native_handle());
  if (!peer) co_return tl::unexpected<Error>(peer.error().within(path_));
  const Result<void> trusted = check_user(*peer, entry->owner());
  if (!trusted) co_return tl::unexpected<Error>(trusted.error().within(path_));
  peer_ = *peer;
  stream_ = stream;
  co_return Result<void>();
}

asio::awaitable<Result<HttpReply>> Connection::exchange(std::string target, std::string body,
                                                        Nanoseconds deadline, std::uint64_t most) {
  const std::shared_ptr<Stream> stream = stream_;  // close() may be called meanwhile
  stream->socket.expires_at(at(deadline));
  http::request<http::string_body> request(body.empty() ? http::verb::get : http::verb::post,
                                           target, 11);
  request.set(http::field::host, "rocktune-agent");
  request.set(http::field::user_agent, "rocktuned");
  if (!body.empty()) request.set(http::field::content_type, "application/json");
  request.body() = std::move(body);
  request.prepare_payload();
  const auto [write_error, written] = co_await http::async_write(stream->socket, request, kToTuple);
  static_cast<void>(written);
  if (write_error) co_return tl::unexpected<Error>(describe(write_error, path_));

  http::response_parser<http::string_body> parser;
  parser.body_limit(most);
  parser.header_limit(kLargestHeader);
  const auto [read_error, got] =
      co_await http::async_read(stream->socket, stream->buffer, parser, kToTuple);
  const Result<void> taken = allowance_ ? allowance_->take(got) : Result<void>();
  if (read_error) co_return tl::unexpected<Error>(describe(read_error, path_));
  stream->used = true;
  if (!parser.get().keep_alive() && stream_ == stream) close();
  if (!taken) co_return tl::unexpected<Error>(taken.error().within(path_));
  HttpReply reply;
  reply.status = parser.get().result_int();
  reply.body = std::move(parser.get().body());
  co_return reply;
}

asio::awaitable<Result<HttpReply>> Connection::request(std::string target, std::string body,
                                                       Nanoseconds deadline, std::uint64_t most) {
  if (allowance_ && allowance_->spent()) {
    co_return tl::unexpected<Error>(allowance_->refused().error().within(path_));
  }
  for (;;) {
    const bool reused = stream_ != nullptr;
    if (!reused) {
      const Result<void> connected = co_await connect(deadline);
      if (!connected) co_return tl::unexpected<Error>(connected.error());
    }
    Result<HttpReply> reply = co_await exchange(target, body, deadline, most);
    if (reply) co_return reply;
    const bool hung_up = reply.error().message.find("closed the connection") != std::string::npos;
    close();
    // An idle connection may have been closed by the other side just now: once more, on a new one.
    // Every request of wire v1 may be repeated (changes carry ids).
    if (!reused || !hung_up) co_return reply;
  }
}

}  // namespace rocktune::daemon
