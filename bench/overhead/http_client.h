// GET over HTTP/1.1 on a Unix socket, one connection kept open: the agent's poller for measuring.
// Blocking, with a time limit on each answer. Not thread-safe.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune::bench {

class HttpClient {
 public:
  static Result<HttpClient> connect(const std::string& socket_path);
  ~HttpClient();
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;

  // The body of a 200; anything else is an Error.
  Result<std::string> get(const std::string& target);

 private:
  explicit HttpClient(int socket) : socket_(socket) {}
  Result<void> receive();  // more bytes into received_
  int socket_ = -1;
  std::string received_;
};

}  // namespace rocktune::bench
