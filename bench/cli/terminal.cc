#include "bench/cli/terminal.h"

#include <sys/ioctl.h>

namespace rocktune::bench {

std::string fit_to_terminal(const std::string& line, int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  return line.substr(0, size.ws_col - 1U);
}

}  // namespace rocktune::bench
