// What the environment says about the agent. Read once, when the agent is first needed.
#pragma once

#include <functional>
#include <string>

namespace rocktune::agent {

enum class Mode { kReadWrite, kReadOnly, kOff };

struct Settings {
  std::string directory = "/run/rocktune";  // ROCKTUNE_AGENT_DIR
  Mode mode = Mode::kReadWrite;             // ROCKTUNE_AGENT_MODE=rw|ro|off
  bool add_statistics = true;               // ROCKTUNE_AGENT_OPEN=statistics,limiter,events|none
  bool add_limiter = true;
  bool add_listener = true;  // "events"
  // What could not be understood. The agent is then off, since nobody knows what was meant.
  std::string problem;
};

using Environment = std::function<const char*(const char* name)>;

// `environment` looks a variable up and returns nullptr when it is not set.
Settings read_settings(const Environment& environment);

}  // namespace rocktune::agent
