// GET and POST over HTTP/1.1 on a Unix socket, one connection kept open: the agent's poller for
// measuring. Blocking, with a time limit on each answer. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::bench {

class HttpClient {
 public:
  static Result<HttpClient> connect(const std::string& socket_path);
  ~HttpClient();
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;

  // The body of a 200; anything else is an Error.
  Result<std::string> get(const std::string& target) { return exchange("GET", target, ""); }
  Result<std::string> post(const std::string& target, const std::string& body) {
    return exchange("POST", target, body);
  }

 private:
  explicit HttpClient(int socket) : socket_(socket) {}
  Result<std::string> exchange(const std::string& method, const std::string& target,
                               const std::string& body);
  Result<void> receive();  // more bytes into received_
  int socket_ = -1;
  std::string received_;
};

// "/v1/dbs/3" for each database of the agent; none where it does not answer.
std::vector<std::string> database_targets(HttpClient& agent);

}  // namespace rocktune::bench
