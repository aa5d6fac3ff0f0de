#include "daemon/options.h"

#include <CLI/CLI.hpp>
#include <array>

#include "daemon/version.h"

namespace rocktune::daemon {
namespace {

struct Flag {
  const char* name;
  const char* key;
  const char* help;
};

// Short ways for the settings that people change most; --set reaches every one.
constexpr std::array<Flag, 8> kFlags{{
    {"--mode", "daemon.mode", "observe, advise or act"},
    {"--agent-dir", "daemon.agent_dir", "Where agents put their sockets"},
    {"--control-socket", "daemon.control_socket", "Where the rocktune command connects"},
    {"--trace-dir", "trace.directory", "Where traces are written"},
    {"--alert-log", "alert_log.file", "Where alerts and decisions are written"},
    {"--http", "http.listen", "Address of /metrics and /healthz, or off"},
    {"--policy", "defaults.policy", "The policy of targets that name none"},
    {"--log-level", "log.level", "trace, debug, info, warn or error"},
}};

// "daemon.mode=act" -> an override; nullopt when there is no '='.
std::optional<Override> parse_set(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return Override{text.substr(0, equals), text.substr(equals + 1), "command line --set"};
}

}  // namespace

std::variant<Options, int> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "rocktuned watches RocksDB databases, warns of trouble before it comes, and tunes "
      "them where it may.");
  app.set_version_flag("--version", std::string("rocktuned ") + kVersion);
  Options options;
  std::string config, check;
  std::vector<std::string> sets;
  std::array<std::string, kFlags.size()> values;
  app.add_option(
      "-c,--config", config,
      "Configuration file (default: " + std::string(kDefaultConfigFile) + " where it exists)");
  app.add_option("--check-config", check,
                 "Check FILE, print every error and what has no effect, and exit (0 or 2)");
  app.add_flag("--print-config", options.print,
               "Print every value with where it comes from, and exit");
  for (std::size_t i = 0; i < kFlags.size(); ++i) {
    app.add_option(kFlags[i].name, values[i], kFlags[i].help);
  }
  app.add_option("--set", sets, "Set any value: KEY=VALUE, as in daemon.poll_interval=250ms");
  app.footer(
      "Exit codes: 0 stopped as asked, 1 could not run, 2 wrong command line or configuration.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.check = app.count("--check-config") > 0;
  options.config_named = options.check || app.count("--config") > 0;
  options.inputs.file = options.check ? check : config;
  for (std::size_t i = 0; i < kFlags.size(); ++i) {
    if (app.count(kFlags[i].name) == 0) continue;
    options.inputs.command_line.push_back(
        {kFlags[i].key, values[i], std::string("command line ") + kFlags[i].name});
  }
  for (const std::string& text : sets) {
    auto set = parse_set(text);
    if (!set) {
      std::cerr << "rocktuned: --set " << text << ": write --set KEY=VALUE\n";
      return 2;
    }
    options.inputs.command_line.push_back(*std::move(set));
  }
  return options;
}

}  // namespace rocktune::daemon
