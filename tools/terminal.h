// The terminal while `rocktune watch` draws on it: alternate screen, keys without Enter, everything
// put back at the end. Signals (INT, TERM, HUP, WINCH) come in through wait(). Not thread-safe; at
// most one at a time.
#pragma once

#include <termios.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// What one screen shows of `lines`: clipped to the size, with a last line that says what is
// missing. Each line is followed by "clear to its end".
std::string screen(const std::vector<std::string>& lines, TerminalSize size);

class Terminal {
 public:
  enum class Event { kTimeout, kRedraw, kQuit };

  // `draw`: stdout is a terminal to draw on; otherwise only signals are taken.
  static Result<Terminal> open(bool draw);
  ~Terminal();
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&&) = delete;

  [[nodiscard]] TerminalSize size() const;
  void show(const std::vector<std::string>& lines) const;
  Event wait(std::chrono::milliseconds time);

 private:
  Terminal() = default;
  Event read_signal();

  bool draw_ = false;
  int signals_ = -1;
  std::optional<termios> before_;  // of stdin, when it was changed
};

}  // namespace rocktune::tools
