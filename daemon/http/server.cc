#include "daemon/http/server.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <nlohmann/json.hpp>

#include "daemon/config/values.h"
#include "daemon/http/unix_socket.h"

namespace rocktune::daemon {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr auto kToTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::uint64_t kLargestBody = 64U << 10;
constexpr std::uint32_t kLargestHeader = 8U << 10;
constexpr int kMostConnections = 64;
constexpr auto kIdle = std::chrono::seconds(30);
constexpr auto kBetweenLooks = std::chrono::seconds(2);  // at the control socket's file

// Shared by the server and its connections, which may outlive it for a moment.
struct Shared {
  HttpHandler handler;
  int connections = 0;
};

class Counted {
 public:
  explicit Counted(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
    ++shared_->connections;
  }
  ~Counted() { --shared_->connections; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::shared_ptr<Shared> shared_;
};

http::response<http::string_body> to_wire(HttpResponse response, unsigned version, bool keep_alive,
                                          bool head) {
  http::response<http::string_body> message(static_cast<http::status>(response.status), version);
  message.set(http::field::server, "rocktuned");
  message.set(http::field::content_type, response.content_type);
  message.set(http::field::cache_control, "no-store");
  message.keep_alive(keep_alive);
  message.body() = std::move(response.body);
  message.prepare_payload();
  if (head) message.body().clear();  // the length stays, as of a GET
  return message;
}

// A handler that throws is a bug; the one who asked gets an answer all the same.
asio::awaitable<HttpResponse> answer(const HttpHandler& handler, HttpRequest request) {
  HttpResponse response{500, R"({"error":{"code":"internal","message":"the daemon failed"}})"};
  try {
    response = co_await handler(std::move(request));
  } catch (const std::exception& error) {
    const nlohmann::json message{{"error", {{"code", "internal"}, {"message", error.what()}}}};
    response.body = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  co_return response;
}

template <class Protocol>
asio::awaitable<void> serve(typename Protocol::socket socket, std::shared_ptr<Shared> shared) {
  const Counted counted(shared);
  beast::basic_stream<Protocol, asio::any_io_executor> stream(std::move(socket));
  beast::flat_buffer buffer;
  for (bool keep_alive = true; keep_alive;) {
    stream.expires_after(kIdle);
    http::request_parser<http::string_body> parser;
    parser.body_limit(kLargestBody);
    parser.header_limit(kLargestHeader);
    const auto [read_error, got] = co_await http::async_read(stream, buffer, parser, kToTuple);
    static_cast<void>(got);
    if (read_error) co_return;
    keep_alive = parser.get().keep_alive();
    const unsigned version = parser.get().version();
    const bool head = parser.get().method() == http::verb::head;
    const std::string target(parser.get().target());
    HttpRequest request{std::string(parser.get().method_string()),
                        target.substr(0, target.find('?')), std::move(parser.get().body())};
    HttpResponse response = co_await answer(shared->handler, std::move(request));
    auto message = to_wire(std::move(response), version, keep_alive, head);
    stream.expires_after(kIdle);
    const auto [write_error, sent] = co_await http::async_write(stream, message, kToTuple);
    static_cast<void>(sent);
    if (write_error) co_return;
  }
}

template <class Protocol>
asio::awaitable<void> accept(std::shared_ptr<typename Protocol::acceptor> acceptor,
                             std::shared_ptr<Shared> shared) {
  const asio::any_io_executor executor = acceptor->get_executor();
  asio::steady_timer pause(executor);
  while (acceptor->is_open()) {
    auto [error, socket] = co_await acceptor->async_accept(kToTuple);
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return;
    if (error) {  // out of descriptors, most likely: not in a tight loop
      pause.expires_after(std::chrono::milliseconds(100));
      co_await pause.async_wait(kToTuple);
      continue;
    }
    if (shared->connections >= kMostConnections) continue;  // closes it
    asio::co_spawn(executor, serve<Protocol>(std::move(socket), shared), asio::detached);
  }
}

template <class Protocol>
class Server : public HttpServer {
 public:
  using Acceptor = typename Protocol::acceptor;

  explicit Server(Acceptor acceptor)
      : acceptor_(std::make_shared<Acceptor>(std::move(acceptor))),
        shared_(std::make_shared<Shared>()) {}
  ~Server() override { close(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  void start(HttpHandler handler) override {
    shared_->handler = std::move(handler);
    accept_all();
  }

 protected:
  asio::any_io_executor executor() { return acceptor_->get_executor(); }
  // Connections stay as they are.
  void accept_instead(Acceptor acceptor) {
    close();
    acceptor_ = std::make_shared<Acceptor>(std::move(acceptor));
    accept_all();
  }

 private:
  void close() {
    boost::system::error_code ignored;
    acceptor_->close(ignored);
  }
  void accept_all() {
    asio::co_spawn(executor(), accept<Protocol>(acceptor_, shared_), asio::detached);
  }

  std::shared_ptr<Acceptor> acceptor_;
  std::shared_ptr<Shared> shared_;
};

class UnixServer : public Server<asio::local::stream_protocol> {
 public:
  UnixServer(Acceptor acceptor, std::string path, Log& log)
      : Server(std::move(acceptor)),
        path_(std::move(path)),
        inode_(inode_of(path_)),
        log_(log),
        look_(executor()) {}
  ~UnixServer() override { remove_if_ours(path_, inode_); }
  UnixServer(const UnixServer&) = delete;
  UnixServer& operator=(const UnixServer&) = delete;
  void start(HttpHandler handler) override {
    Server::start(std::move(handler));
    look_after_file();
  }

 private:
  void look_after_file() {
    look_.expires_after(kBetweenLooks);
    look_.async_wait(
        [this, alive = std::weak_ptr<bool>(alive_)](const boost::system::error_code& error) {
          if (error || alive.expired()) return;
          const std::uint64_t there = inode_of(path_);  // 0: no file
          if (there == 0 || there != inode_) {
            restore_file();
          } else if (!problem_.empty()) {
            is_back();
          }
          look_after_file();
        });
  }

  void is_back() {
    log_.info("listens at the control socket " + path_ + " again");
    problem_.clear();
  }

  void restore_file() {
    const Result<void> restored = listen_again();
    const std::string problem = restored ? "" : restored.error().message;
    const bool is_known = restored ? !problem_.empty() : problem == problem_;
    if (!is_known) {
      const std::string until =
          ": `rocktune` does not reach rocktuned until it is made anew, which is tried every " +
          std::to_string(kBetweenLooks.count()) + " s: ";
      log_.warn("the control socket " + path_ + " was removed" + (restored ? "" : until + problem));
    }
    problem_ = problem;
    if (restored) is_back();
  }

  Result<void> listen_again() {
    Result<UnixSocket> socket = UnixSocket::listen_again(path_);
    if (!socket) return tl::unexpected<Error>(socket.error());
    Acceptor acceptor(executor());
    boost::system::error_code error;
    acceptor.assign(asio::local::stream_protocol(), socket->descriptor(), error);
    if (error) return fail(ErrorCode::kIo, "cannot listen at " + path_ + ": " + error.message());
    socket->release();
    inode_ = inode_of(path_);
    accept_instead(std::move(acceptor));
    return {};
  }

  std::string path_;
  std::uint64_t inode_;
  Log& log_;
  std::string problem_;  // why the file is not there, as last said; empty: it is
  asio::steady_timer look_;
  // A look that is due already may come after the end.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen_tcp(const asio::any_io_executor& executor,
                                                           const HttpListen& listen) {
  using asio::ip::tcp;
  boost::system::error_code error;
  const tcp::endpoint endpoint(asio::ip::make_address(listen.address, error), listen.port);
  tcp::acceptor acceptor(executor);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return fail(ErrorCode::kUnavailable, "cannot listen on " + print_listen(listen) + ": " +
                                             error.message() +
                                             "; set http.listen to another address, or to off");
  }
  return std::make_unique<Server<tcp>>(std::move(acceptor));
}

std::unique_ptr<HttpServer> HttpServer::serve_unix(const asio::any_io_executor& executor,
                                                   UnixSocket socket, Log& log) {
  using asio::local::stream_protocol;
  stream_protocol::acceptor acceptor(executor, stream_protocol(), socket.release());
  return std::make_unique<UnixServer>(std::move(acceptor), socket.path(), log);
}

}  // namespace rocktune::daemon
