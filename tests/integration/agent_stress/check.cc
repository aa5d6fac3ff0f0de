#include "tests/integration/agent_stress/check.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/support/memory_directory.h"

namespace rocktune::stress {
namespace {

std::string* directory = nullptr;  // never destroyed: read while the process exits

}  // namespace

const std::string& make_root() {
  const std::string name = tests::make_memory_directory("rocktune-stress");
  check(!name.empty(), "no temporary directory");
  check(::setenv("ROCKTUNE_AGENT_DIR", name.c_str(), 1) == 0, "setenv");
  directory = new std::string(name);
  return *directory;
}

const std::string& root() {
  return *directory;
}

void remove_root() noexcept {
  std::error_code ignored;
  if (directory != nullptr) std::filesystem::remove_all(*directory, ignored);
}

void fail(const std::string& what) {
  std::fprintf(stderr, "agent_stress: %s\n", what.c_str());
  remove_root();
  std::_Exit(1);
}

void check(bool good, const std::string& what) {
  if (!good) fail(what);
}

std::string socket_of(int pid) {
  return std::string(::getenv("ROCKTUNE_AGENT_DIR")) + "/agent." + std::to_string(pid) + ".sock";
}

}  // namespace rocktune::stress
