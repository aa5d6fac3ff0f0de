// The bytes of one connection to the agent, through its real socket, server, session and router
// into a real database. Whatever comes in: every answer is HTTP with the protocol's JSON, nothing
// goes wrong inside ("internal"), and the connection ends soon after the client's end.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tests/fuzz/agent_host.h"
#include "tests/fuzz/finding.h"
#include "wire/codec.h"

namespace rocktune::fuzz {
namespace {

namespace http = boost::beast::http;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestConnection{10};

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    finding("cannot connect");
  }
  return fd;
}

// All at once, or in pieces: the length decides, so that each input always does the same.
std::size_t piece_of(std::string_view input) {
  switch (input.size() % 4) {
    case 1:
      return 7;
    case 2:
      return 100;
    default:
      return input.size();
  }
}

std::string converse(AgentHost& host, std::string_view input) {
  const int fd = connect_to(host.socket());
  const std::size_t piece = piece_of(input);
  const auto until = steady_clock::now() + kLongestConnection;
  std::string answers;
  bool open = true;
  bool sending = true;
  while (open) {
    if (steady_clock::now() > until) finding("the connection does not end");
    if (sending && !input.empty()) {
      const auto part = input.substr(0, piece);
      const auto sent = ::send(fd, part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN) input = {};  // it hung up on us
    }
    if (sending && input.empty()) {
      ::shutdown(fd, SHUT_WR);
      sending = false;
    }
    host.serve(std::chrono::milliseconds(sending ? 0 : 1));
    char bytes[65536];
    ssize_t got = 0;
    while ((got = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
      answers.append(bytes, static_cast<std::size_t>(got));
    }
    open = got < 0 && errno == EAGAIN;
  }
  ::close(fd);
  return answers;
}

void check_answer(unsigned status, const std::string& body) {
  if (status / 100 == 2) {
    // Any object is such a request: unknown fields are ignored.
    if (!wire::decode<wire::RestoreRequest>(body)) finding("no JSON object: " + body);
    return;
  }
  const auto error = wire::decode<wire::Error>(body);
  if (!error) finding(std::to_string(status) + " without an error: " + body);
  if (error->code == "internal") finding(error->message);
}

// True if something was answered with success.
bool check_answers(std::string_view answers) {
  bool success = false;
  while (!answers.empty()) {
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::uint64_t{32} << 20);
    parser.eager(true);
    boost::system::error_code error;
    const auto used = parser.put(boost::asio::buffer(answers), error);
    if (error == http::error::need_more) return success;  // we hung up on it
    if (error) finding("no HTTP: " + std::string(answers));
    const unsigned status = parser.get().result_int();
    if (status != 100) check_answer(status, parser.get().body());
    success = success || status / 100 == 2;
    answers.remove_prefix(used);
  }
  return success;
}

}  // namespace
}  // namespace rocktune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rocktune::fuzz;
  static auto* const host = new AgentHost;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto answers = converse(*host, input);
  // An answer to HEAD looks like one whose body is missing.
  const bool success = input.find("HEAD") == input.npos ? check_answers(answers) : true;
  if (success && input.find("POST") != input.npos) host->reset();
  return 0;
}
