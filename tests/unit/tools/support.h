// What the tests of the subcommands share.
#pragma once

#include <string>

#include "tests/support/temp_directory.h"

namespace rocktune::tools::test {

using rocktune::tests::TempDirectory;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace rocktune::tools::test
