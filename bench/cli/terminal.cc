#include "bench/cli/terminal.h"

#include <sys/ioctl.h>

#include <cstdio>

namespace rocktune::bench {

std::string fit_to_terminal(const std::string& line, int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  return line.substr(0, size.ws_col - 1U);
}

std::string formatted(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

}  // namespace rocktune::bench
