#include "tools/http_client.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <optional>

namespace rocktune::tools {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Stream = beast::basic_stream<asio::local::stream_protocol>;

constexpr std::size_t kMostBodyBytes = 64
                                       << 20;  // of an answer; a status takes a few kB a database
constexpr std::size_t kLongestPath = 107;      // of a Unix socket, without the final NUL

asio::awaitable<HttpResponse> exchange(const std::string& socket,
                                       const http::request<http::string_body>& request,
                                       std::chrono::milliseconds timeout) {
  Stream stream(co_await asio::this_coro::executor);
  stream.expires_after(timeout);
  co_await stream.async_connect(asio::local::stream_protocol::endpoint(socket),
                                asio::use_awaitable);
  co_await http::async_write(stream, request, asio::use_awaitable);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostBodyBytes);
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

Result<HttpResponse> http_request(const std::string& socket, const std::string& method,
                                  const std::string& target, const std::string& body,
                                  std::chrono::milliseconds timeout) {
  if (socket.empty() || socket.size() > kLongestPath) {
    return fail(ErrorCode::kInvalidArgument, "a socket's path has 1 to 107 bytes");
  }
  try {
    http::request<http::string_body> request;
    request.method_string(method);
    request.target(target);
    request.version(11);
    request.set(http::field::host, "localhost");
    request.set(http::field::connection, "close");
    if (!body.empty()) request.set(http::field::content_type, "application/json");
    request.body() = body;
    request.prepare_payload();

    asio::io_context context(1);
    std::optional<HttpResponse> response;
    std::exception_ptr problem;
    asio::co_spawn(context, exchange(socket, request, timeout),
                   [&](std::exception_ptr thrown, HttpResponse received) {
                     problem = std::move(thrown);
                     response = std::move(received);
                   });
    context.run();
    if (problem) std::rethrow_exception(problem);
    return std::move(*response);
  } catch (const beast::system_error& problem) {
    return tl::unexpected(as_error(problem));
  } catch (const std::exception& problem) {
    return fail(ErrorCode::kIo, problem.what());
  }
}

}  // namespace rocktune::tools
