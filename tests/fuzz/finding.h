// What a fuzzer does about behaviour that no input may cause.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rocktune::fuzz {

// Ends the run; libFuzzer keeps the input.
[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

}  // namespace rocktune::fuzz
