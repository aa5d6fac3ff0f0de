// One HTTP/1.1 request over a Unix socket, with a deadline. Blocks its caller; thread-safe.
#pragma once

#include <chrono>
#include <string>

#include "model/result.h"

namespace rocktune::tools {

struct HttpResponse {
  unsigned status = 0;
  std::string body;
};

// `body` is sent as JSON; with an empty one for POST still a request. Errors: kNotFound (no such
// socket, or nobody listens), kPermission, kUnavailable (no answer in time), kProtocol, kIo (among
// others: the other side hung up before it had answered).
Result<HttpResponse> http_request(const std::string& socket, const std::string& method,
                                  const std::string& target, const std::string& body,
                                  std::chrono::milliseconds timeout);

}  // namespace rocktune::tools
