// A directory for the whole run of a fuzzer, in memory where that is possible.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "tests/fuzz/finding.h"
#include "tests/support/memory_directory.h"

namespace rocktune::fuzz {

// Removed at exit. Once in a program.
inline std::string make_directory() {
  static auto* const name = new std::string(tests::make_memory_directory("rocktune-fuzz"));
  if (name->empty()) finding("no temporary directory");
  std::atexit([] {
    std::error_code ignored;
    std::filesystem::remove_all(*name, ignored);
  });
  return *name;
}

}  // namespace rocktune::fuzz
