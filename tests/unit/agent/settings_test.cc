#include <map>

#include "tests/support/catch.h"
#include "wire/agent_settings.h"

namespace rocktune::wire {
namespace {

AgentSettings with(const std::map<std::string, std::string>& variables) {
  return read_agent_settings([&](const char* name) -> const char* {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
}

TEST_CASE("without variables the agent reads, writes and adds") {
  const auto settings = with({});
  CHECK(settings.directory == "/run/rocktune");
  CHECK(settings.mode == AgentMode::kReadWrite);
  CHECK(settings.add_statistics);
  CHECK(settings.add_limiter);
  CHECK(settings.add_listener);
  CHECK(settings.problem.empty());
}

TEST_CASE("each variable is understood") {
  CHECK(with({{"ROCKTUNE_AGENT_DIR", "/x"}}).directory == "/x");
  CHECK(with({{"ROCKTUNE_AGENT_MODE", "ro"}}).mode == AgentMode::kReadOnly);
  CHECK(with({{"ROCKTUNE_AGENT_MODE", "rw"}}).mode == AgentMode::kReadWrite);
  CHECK(with({{"ROCKTUNE_AGENT_MODE", "off"}}).mode == AgentMode::kOff);
  CHECK(with({{"ROCKTUNE_AGENT_MODE", "off"}}).problem.empty());

  const auto none = with({{"ROCKTUNE_AGENT_OPEN", "none"}});
  CHECK_FALSE(none.add_statistics);
  CHECK_FALSE(none.add_limiter);
  CHECK_FALSE(none.add_listener);
  const auto one = with({{"ROCKTUNE_AGENT_OPEN", "limiter"}});
  CHECK_FALSE(one.add_statistics);
  CHECK(one.add_limiter);
  const auto both = with({{"ROCKTUNE_AGENT_OPEN", "statistics,limiter"}});
  CHECK(both.add_statistics);
  CHECK(both.add_limiter);
  CHECK_FALSE(both.add_listener);
  CHECK(with({{"ROCKTUNE_AGENT_OPEN", "events"}}).add_listener);
}

TEST_CASE("what is not understood turns the agent off and is told") {
  const auto mode = with({{"ROCKTUNE_AGENT_MODE", "RW "}});
  CHECK(mode.mode == AgentMode::kOff);
  CHECK(mode.problem == "ROCKTUNE_AGENT_MODE='RW ' is not rw, ro or off");
  const auto open = with({{"ROCKTUNE_AGENT_OPEN", "statistics,cache"}});
  CHECK(open.mode == AgentMode::kOff);
  CHECK(open.problem == "ROCKTUNE_AGENT_OPEN='cache' is not statistics, limiter, events or none");
}

}  // namespace
}  // namespace rocktune::wire
