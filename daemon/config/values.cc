#include "daemon/config/values.h"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <sys/un.h>

#include <algorithm>
#include <array>

#include "files/units.h"
#include "prior/prior.h"

namespace rocktune::daemon {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kObserve:
      return "observe";
    case Mode::kAdvise:
      return "advise";
    case Mode::kAct:
      return "act";
  }
  return "?";
}

bool covers(const std::string& pattern, const std::string& later) {
  const auto has = [](const std::string& text, const char* any) {
    return text.find_first_of(any) != std::string::npos;
  };
  // Of another pattern it is only told by what '*' takes: '?' takes a '*' as text, but not as one.
  const bool can_tell = !has(later, "*?[\\") || !(has(later, "[\\") || has(pattern, "?[\\"));
  return can_tell && fnmatch(pattern.c_str(), later.c_str(), 0) == 0;
}

std::optional<std::size_t> Config::entry_for(const std::string& path) const {
  const auto found = std::find_if(targets.begin(), targets.end(), [&](const TargetRule& rule) {
    return fnmatch(rule.path.c_str(), path.c_str(), 0) == 0;
  });
  if (found == targets.end()) return std::nullopt;
  return static_cast<std::size_t>(found - targets.begin());
}

TargetRule Config::rule_for(const std::string& path) const {
  TargetRule rule;
  if (const auto entry = entry_for(path)) {
    rule = targets[*entry];
  } else {
    rule.path = path;
    rule.mode = mode;
    rule.engine = engine;
  }
  rule.all_events = trace_events == "all";
  return rule;
}

Result<std::string> parse_choice(std::string_view text, const std::vector<std::string>& choices) {
  std::string list;
  for (const std::string& choice : choices) {
    if (choice == text) return choice;
    list += (list.empty() ? "" : ", ") + choice;
  }
  return fail(ErrorCode::kInvalidArgument,
              "'" + std::string(text) + "' is not known; write one of " + list);
}

Result<Mode> parse_mode(std::string_view text) {
  return parse_choice(text, {"observe", "advise", "act"}).map([](const std::string& word) {
    return word == "act" ? Mode::kAct : word == "observe" ? Mode::kObserve : Mode::kAdvise;
  });
}

Result<std::optional<HttpListen>> parse_listen(std::string_view text) {
  if (text == "off") return std::optional<HttpListen>();
  const auto bad = [&] {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) +
                    "' is no address to listen on; write 127.0.0.1:9730, [::1]:9730 or off");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad();
  std::string address(text.substr(0, colon));
  if (address == "localhost") address = "127.0.0.1";
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  }
  std::array<unsigned char, sizeof(in6_addr)> binary{};
  if (inet_pton(AF_INET, address.c_str(), binary.data()) != 1 &&
      inet_pton(AF_INET6, address.c_str(), binary.data()) != 1) {
    return bad();
  }
  const Result<std::int64_t> port = parse_integer(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return bad();
  return std::optional(HttpListen{address, static_cast<std::uint16_t>(*port)});
}

std::string print_listen(const std::optional<HttpListen>& listen) {
  if (!listen) return "off";
  const bool v6 = listen->address.find(':') != std::string::npos;
  return (v6 ? "[" + listen->address + "]" : listen->address) + ":" + std::to_string(listen->port);
}

Result<std::string> parse_path(std::string_view text) {
  if (text.empty() || text.front() != '/') {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is not an absolute path; begin it with /");
  }
  std::string path(text);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<std::string> parse_socket_path(std::string_view text) {
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  if (text.size() > kLongest) {
    return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is longer than the " +
                                                 std::to_string(kLongest) +
                                                 " characters that a Unix socket's path may have");
  }
  return parse_path(text);
}

Result<std::string> parse_agent_dir(std::string_view text) {
  constexpr std::string_view kLongestName = "/agent.4194304.sock";  // the kernel's largest pid
  if (text.size() + kLongestName.size() >= sizeof(sockaddr_un::sun_path)) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is too long for the paths of Unix sockets in it");
  }
  return parse_path(text);
}

Result<std::string> parse_name(std::string_view text) {
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
  if (text.empty() || text.size() > 128 || !printable) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is no name; write 1 to 128 printable characters");
  }
  return std::string(text);
}

Result<std::string> parse_prior_choice(std::string_view text) {
  if (text == kBuiltinPrior || text == kNoPrior) return std::string(text);
  if (text.starts_with('/')) return parse_path(text);
  return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) +
                                               "' is no model; write builtin, none, or the "
                                               "absolute path of a file of rocktune train");
}

Result<std::string> parse_state_directory(std::string_view text) {
  if (text == "off") return std::string();
  return parse_path(text);
}

}  // namespace rocktune::daemon
