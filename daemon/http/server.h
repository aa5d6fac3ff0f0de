// A small HTTP/1.1 server for TCP or Unix sockets: bounded requests, deadlines, keep-alive, a
// limited number of connections. One handler answers everything. Runs on the executor given.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "daemon/config/config.h"
#include "daemon/http/unix_socket.h"
#include "daemon/log.h"
#include "model/result.h"

namespace rocktune::daemon {

struct HttpRequest {
  std::string method;  // "GET", "POST", ...
  std::string path;    // without the query
  std::string body;
};

struct HttpResponse {
  unsigned status = 200;
  std::string body;
  std::string content_type = "application/json";
};

using HttpHandler = std::function<boost::asio::awaitable<HttpResponse>(HttpRequest)>;

class HttpServer {
 public:
  virtual ~HttpServer() = default;  // closes the listening socket
  // Until then whoever connects waits. Once.
  virtual void start(HttpHandler handler) = 0;

  // The error says which address is in use and what to do.
  static Result<std::unique_ptr<HttpServer>> listen_tcp(
      const boost::asio::any_io_executor& executor, const HttpListen& listen);
  // The socket's file is removed at the end. Where somebody removes it before, it is made anew
  // within seconds, once its directory is there, as `log` tells.
  static std::unique_ptr<HttpServer> serve_unix(const boost::asio::any_io_executor& executor,
                                                UnixSocket socket, Log& log);
};

}  // namespace rocktune::daemon
