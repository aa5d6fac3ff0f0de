#include "bench/overhead/http_client.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace rocktune::bench {
namespace {

constexpr timeval kAnswerPatience{5, 0};
constexpr std::string_view kLength = "Content-Length: ";

Error system_error(const std::string& what) {
  return {ErrorCode::kUnavailable, what + ": " + std::strerror(errno)};
}

}  // namespace

Result<HttpClient> HttpClient::connect(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::kInvalidArgument, socket_path + ": too long for a Unix socket");
  }
  socket_path.copy(address.sun_path, socket_path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return tl::unexpected(system_error("no socket"));
  HttpClient client(descriptor);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &kAnswerPatience, sizeof kAnswerPatience);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &kAnswerPatience, sizeof kAnswerPatience);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return tl::unexpected(system_error(socket_path));
  }
  return client;
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

HttpClient::~HttpClient() {
  if (socket_ >= 0) close(socket_);
}

Result<void> HttpClient::receive() {
  char buffer[65536];
  const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
  if (got < 0) return tl::unexpected(system_error("the agent's answer"));
  if (got == 0) return fail(ErrorCode::kUnavailable, "the agent closed the connection");
  received_.append(buffer, static_cast<std::size_t>(got));
  return {};
}

Result<std::string> HttpClient::exchange(const std::string& method, const std::string& target,
                                         const std::string& body) {
  const std::string request = method + " " + target + " HTTP/1.1\r\nHost: agent\r\n" +
                              "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  if (send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return tl::unexpected(system_error("request " + target));
  }
  std::size_t end = std::string::npos;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (auto more = receive(); !more) return tl::unexpected(more.error());
  }
  const std::string head = received_.substr(0, end);
  const auto at = head.find(kLength);
  std::size_t length = 0;
  if (at != std::string::npos) {
    std::from_chars(head.data() + at + kLength.size(), head.data() + head.size(), length);
  }
  while (received_.size() < end + 4 + length) {
    if (auto more = receive(); !more) return tl::unexpected(more.error());
  }
  std::string answer = received_.substr(end + 4, length);
  received_.erase(0, end + 4 + length);
  if (!head.starts_with("HTTP/1.1 200")) {
    return fail(ErrorCode::kUnavailable,
                target + ": " + head.substr(0, head.find('\r')) + " " + answer);
  }
  return answer;
}

std::vector<std::string> database_targets(HttpClient& agent) {
  std::vector<std::string> targets;
  const auto body = agent.get("/v1/dbs");
  const auto list = body ? nlohmann::json::parse(*body, nullptr, false) : nlohmann::json::object();
  if (!list.is_object()) return targets;
  for (const auto& database : list.value("databases", nlohmann::json::array())) {
    targets.push_back("/v1/dbs/" + database.value("id", std::string()));
  }
  return targets;
}

}  // namespace rocktune::bench
