// One HTTP/1.1 request over a Unix socket, with a deadline. Blocks its caller; thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "model/result.h"

namespace rocktune::tools {

struct HttpResponse {
  unsigned status = 0;
  std::string body;
};

// Looks at who listens, by the connected socket; what it refuses is told nothing.
using CheckPeer = std::function<Result<void>(int socket)>;

struct HttpRequest {
  std::string method, target;
  std::string body = {};  // sent as JSON; with an empty one for POST still a request
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
  std::size_t most_bytes = std::size_t{64} << 20;  // of the answer's body
};

// Errors: kNotFound (no such socket, or nobody listens), kPermission, kUnavailable (no answer in
// time), kProtocol, kIo (among others: the other side hung up before it had answered), and those of
// `check`.
Result<HttpResponse> http_request(const std::string& socket, const HttpRequest& request,
                                  const CheckPeer& check = nullptr);

}  // namespace rocktune::tools
