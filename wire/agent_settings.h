// What the environment says about the agent (docs/wire.md). Pure: the agent reads it once, when it
// is first needed, and `rocktune run` before it starts a program.
#pragma once

#include <functional>
#include <string>

namespace rocktune::wire {

inline constexpr const char* kAgentMode = "ROCKTUNE_AGENT_MODE";
inline constexpr const char* kAgentOpen = "ROCKTUNE_AGENT_OPEN";

enum class AgentMode { kReadWrite, kReadOnly, kOff };

struct AgentSettings {
  std::string directory = "/run/rocktune";  // ROCKTUNE_AGENT_DIR
  AgentMode mode = AgentMode::kReadWrite;   // ROCKTUNE_AGENT_MODE=rw|ro|off
  bool add_statistics = true;               // ROCKTUNE_AGENT_OPEN=statistics,limiter,events|none
  bool add_limiter = true;
  bool add_listener = true;  // "events"
  // What could not be understood. The agent is then off, since nobody knows what was meant.
  std::string problem;
};

using Environment = std::function<const char*(const char* name)>;

// `environment` looks a variable up and returns nullptr when it is not set.
AgentSettings read_agent_settings(const Environment& environment);

}  // namespace rocktune::wire
