// A directory for the whole run of a fuzzer, in memory where that is possible.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/fuzz/finding.h"

namespace rocktune::fuzz {

// Removed at exit. Once in a program.
inline std::string make_directory() {
  const bool memory = ::access("/dev/shm", W_OK) == 0;
  const auto parent =
      memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  static auto* const name = new std::string(parent / "rocktune-fuzz.XXXXXX");
  if (::mkdtemp(name->data()) == nullptr) finding("no temporary directory");
  std::atexit([] {
    std::error_code ignored;
    std::filesystem::remove_all(*name, ignored);
  });
  return *name;
}

}  // namespace rocktune::fuzz
