#include "tools/http_client.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <exception>

namespace rocktune::tools {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Stream = beast::basic_stream<asio::local::stream_protocol>;

constexpr std::size_t kLongestPath = 107;  // of a Unix socket, without the final NUL

http::request<http::string_body> as_message(const HttpRequest& request) {
  http::request<http::string_body> message;
  message.method_string(request.method);
  message.target(request.target);
  message.version(11);
  message.set(http::field::host, "localhost");
  message.set(http::field::connection, "close");
  if (!request.body.empty()) message.set(http::field::content_type, "application/json");
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

asio::awaitable<Result<HttpResponse>> exchange(const std::string& socket,
                                               const HttpRequest& request, const CheckPeer& check) {
  Stream stream(co_await asio::this_coro::executor);
  stream.expires_after(request.timeout);
  co_await stream.async_connect(asio::local::stream_protocol::endpoint(socket),
                                asio::use_awaitable);
  if (check) {
    const Result<void> allowed = check(stream.socket().native_handle());
    if (!allowed) co_return tl::unexpected<Error>(allowed.error());
  }
  const auto message = as_message(request);
  co_await http::async_write(stream, message, asio::use_awaitable);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(request.most_bytes);
  co_await http::async_read(stream, buffer, parser, asio::use_awaitable);
  co_return HttpResponse{parser.get().result_int(), std::move(parser.get().body())};
}

// Before it had answered: at once, in the middle of its answer, or with our request unread.
bool hung_up(const boost::system::error_code& code) {
  return code == http::error::end_of_stream || code == http::error::partial_message ||
         code == boost::system::errc::connection_reset || code == boost::system::errc::broken_pipe;
}

Error as_error(const beast::system_error& problem) {
  const auto code = problem.code();
  if (code == beast::error::timeout) return {ErrorCode::kUnavailable, "no answer in time"};
  if (code == boost::system::errc::no_such_file_or_directory) {
    return {ErrorCode::kNotFound, "there is no such socket"};
  }
  if (code == boost::system::errc::connection_refused) {
    return {ErrorCode::kNotFound, "nobody listens there"};
  }
  if (code == boost::system::errc::permission_denied) {
    return {ErrorCode::kPermission, "permission denied"};
  }
  if (hung_up(code)) return {ErrorCode::kIo, "the other side hung up"};
  if (code.category() == http::make_error_code(http::error::bad_version).category()) {
    return {ErrorCode::kProtocol, "the answer is no HTTP (" + code.message() + ")"};
  }
  return {ErrorCode::kIo, code.message()};
}

}  // namespace

Result<HttpResponse> http_request(const std::string& socket, const HttpRequest& request,
                                  const CheckPeer& check) {
  if (socket.empty() || socket.size() > kLongestPath) {
    return fail(ErrorCode::kInvalidArgument, "a socket's path has 1 to 107 bytes");
  }
  try {
    asio::io_context context(1);
    Result<HttpResponse> response;
    std::exception_ptr problem;
    asio::co_spawn(context, exchange(socket, request, check),
                   [&](std::exception_ptr thrown, Result<HttpResponse> received) {
                     problem = std::move(thrown);
                     response = std::move(received);
                   });
    context.run();
    if (problem) std::rethrow_exception(problem);
    return response;
  } catch (const beast::system_error& problem) {
    return tl::unexpected(as_error(problem));
  } catch (const std::exception& problem) {
    return fail(ErrorCode::kIo, problem.what());
  }
}

}  // namespace rocktune::tools
