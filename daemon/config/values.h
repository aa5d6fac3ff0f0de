// Parsers and printers of config values that are more than a number with a unit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/config/config.h"
#include "model/result.h"

namespace rocktune::daemon {

// Whether all that the later pattern of a target matches is matched by this one, as far as that can
// be told: false where it cannot.
bool covers(const std::string& pattern, const std::string& later);
// One of a few words; the error lists them.
Result<std::string> parse_choice(std::string_view text, const std::vector<std::string>& choices);
Result<Mode> parse_mode(std::string_view text);
// "127.0.0.1:9730", "[::1]:9730", "localhost:9730" or "off".
Result<std::optional<HttpListen>> parse_listen(std::string_view text);
std::string print_listen(const std::optional<HttpListen>& listen);
// An absolute path; a trailing slash is dropped.
Result<std::string> parse_path(std::string_view text);
// A Unix socket's path: absolute and short enough for the kernel (107 characters).
Result<std::string> parse_socket_path(std::string_view text);
// The directory of agent sockets: short enough for "/agent.<pid>.sock" to follow.
Result<std::string> parse_agent_dir(std::string_view text);
// "builtin", "none" or an absolute path.
Result<std::string> parse_prior_choice(std::string_view text);
// An absolute path; empty for "off".
Result<std::string> parse_state_directory(std::string_view text);
// A name without control characters, at most 128 long.
Result<std::string> parse_name(std::string_view text);

}  // namespace rocktune::daemon
