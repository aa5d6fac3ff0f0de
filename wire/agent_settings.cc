#include "wire/agent_settings.h"

#include <string_view>

namespace rocktune::wire {
namespace {

std::string_view lookup(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::string not_one_of(std::string_view name, std::string_view value, std::string_view allowed) {
  constexpr std::size_t kShown = 80;
  return std::string(name) + "='" + std::string(value.substr(0, kShown)) + "' is not " +
         std::string(allowed);
}

void read_mode(std::string_view value, AgentSettings& settings) {
  if (value.empty() || value == "rw") return;
  if (value == "ro") {
    settings.mode = AgentMode::kReadOnly;
  } else {
    settings.mode = AgentMode::kOff;
    if (value != "off") {
      settings.problem = not_one_of(kAgentMode, value, "rw, ro or off");
    }
  }
}

void read_additions(std::string_view value, AgentSettings& settings) {
  if (value.empty()) return;
  settings.add_statistics = settings.add_limiter = settings.add_listener = false;
  if (value == "none") return;
  while (!value.empty()) {
    const auto comma = value.find(',');
    const auto item = value.substr(0, comma);
    if (item == "statistics") {
      settings.add_statistics = true;
    } else if (item == "limiter") {
      settings.add_limiter = true;
    } else if (item == "events") {
      settings.add_listener = true;
    } else {
      settings.problem = not_one_of(kAgentOpen, item, "statistics, limiter, events or none");
      settings.mode = AgentMode::kOff;
    }
    value = comma == std::string_view::npos ? std::string_view() : value.substr(comma + 1);
  }
}

}  // namespace

AgentSettings read_agent_settings(const Environment& environment) {
  AgentSettings settings;
  const auto directory = lookup(environment, "ROCKTUNE_AGENT_DIR");
  if (!directory.empty()) settings.directory = directory;
  read_mode(lookup(environment, kAgentMode), settings);
  read_additions(lookup(environment, kAgentOpen), settings);
  return settings;
}

}  // namespace rocktune::wire
