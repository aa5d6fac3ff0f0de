// The control socket of rocktuned, as the subcommands use it.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "model/result.h"

namespace rocktune::tools {

using Json = nlohmann::ordered_json;

inline constexpr const char* kDefaultSocket = "/run/rocktune/rocktuned.sock";

// Of orders: the daemon waits for several agents in turn, and for one that hangs some seconds.
inline constexpr std::chrono::seconds kOrderTimeout{120};

// One request and its decoded answer. An error answer of the daemon becomes an Error with its
// message; every error names the socket. Who listens there must be root or this user, or, for
// root, whose the socket's directory is (files/peer_process.h): otherwise nothing is sent.
Result<Json> ask_daemon(const std::string& socket, const std::string& method,
                        const std::string& target, const Json& body = nullptr,
                        std::chrono::milliseconds timeout = std::chrono::seconds(10));

// Whether `--target wanted` means the database of this name or path. One that is open for reading
// only has "NAME (read_only)", or "NAME (secondary)": NAME means it, too.
bool is_meant(std::string_view name, std::string_view wanted);

// The decoded answer, or the error that it stands for.
Result<Json> decode_answer(unsigned status, const std::string& body);

// What POST /v1/release and /v1/rollback answer, as lines for people; the exit code is 0 when
// nothing failed. Errors: the answer is not what it should be.
struct ChangeReport {
  std::vector<std::string> lines;
  int exit_code = 0;
  bool left_alone = false;  // something, as somebody else set it
};
// `done`: what was done to a knob whose status is "applied".
Result<ChangeReport> change_report(const Json& answer, std::string_view done = "applied");
// On one line of stdout, with U+FFFD for what is no UTF-8.
void print_json(const Json& answer);

}  // namespace rocktune::tools
