#include "tools/status_line.h"

#include <unistd.h>

#include <iostream>

#include "tools/text.h"

namespace rocktune::tools {

StatusLine::StatusLine() : shown_(::isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

void StatusLine::show(std::string_view text) const {
  if (shown_) std::cerr << "\r\x1b[K" << text << std::flush;
}

void StatusLine::show_run(std::string_view doing, std::size_t number, std::size_t total,
                          const std::string& name) const {
  show(std::string(doing) + " run " + std::to_string(number) + " of " + std::to_string(total) +
       ": " + clipped(printable(name), 50));
}

}  // namespace rocktune::tools
