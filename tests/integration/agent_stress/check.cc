#include "tests/integration/agent_stress/check.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace rocktune::stress {
namespace {

std::string* directory = nullptr;  // never destroyed: read while the process exits

}  // namespace

const std::string& make_root() {
  // In memory where that can be: opening a database is mostly waiting for the disk.
  const bool memory = ::access("/dev/shm", W_OK) == 0;
  const auto parent =
      memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  std::string name = parent / "rocktune-stress.XXXXXX";
  check(::mkdtemp(name.data()) != nullptr, "mkdtemp");
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
