#include "tools/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <system_error>
#include <utility>

#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";  // alternate screen, no cursor
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";
constexpr const char* kHome = "\x1b[H";
constexpr const char* kClearLine = "\x1b[K";
constexpr const char* kClearBelow = "\x1b[J";

}  // namespace

std::string screen(const std::vector<std::string>& lines, TerminalSize size) {
  const std::size_t rows = std::max<std::size_t>(size.rows, 2) - 1;
  const std::size_t shown = std::min(lines.size(), rows);
  std::string text = kHome;
  for (std::size_t i = 0; i < shown; ++i) {
    text += clipped(lines[i], size.columns) + kClearLine + "\r\n";
  }
  std::string last = "q quits";
  if (lines.size() > shown) {
    last = std::to_string(lines.size() - shown) + " more lines: enlarge the window; " + last;
  }
  return text + clipped(last, size.columns) + kClearLine + kClearBelow;
}

Result<Terminal> Terminal::open(bool draw) {
  Terminal terminal;
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  terminal.signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (terminal.signals_ < 0) {
    return fail(ErrorCode::kIo, "signals: " + std::generic_category().message(errno));
  }
  if (!draw) return terminal;
  termios keys{};
  if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &keys) == 0) {
    terminal.before_ = keys;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  terminal.draw_ = true;
  std::cout << kEnter << std::flush;
  return terminal;
}

Terminal::Terminal(Terminal&& other) noexcept
    : draw_(std::exchange(other.draw_, false)),
      signals_(std::exchange(other.signals_, -1)),
      before_(std::exchange(other.before_, std::nullopt)) {}

Terminal::~Terminal() {
  if (draw_) std::cout << kLeave << std::flush;
  if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
  if (signals_ >= 0) ::close(signals_);
}

TerminalSize Terminal::size() const {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
  return {window.ws_col, window.ws_row};
}

void Terminal::show(const std::vector<std::string>& lines) const {
  if (draw_) {
    std::cout << screen(lines, size()) << std::flush;
    return;
  }
  for (const std::string& line : lines) std::cout << line << '\n';
  std::cout << std::endl;
}

Terminal::Event Terminal::read_signal() {
  signalfd_siginfo signal{};
  if (::read(signals_, &signal, sizeof signal) != sizeof signal) return Event::kTimeout;
  return signal.ssi_signo == SIGWINCH ? Event::kRedraw : Event::kQuit;
}

Terminal::Event Terminal::wait(std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Event::kTimeout;
    pollfd sources[2] = {{signals_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    const int ready = ::poll(sources, before_ ? 2 : 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return Event::kQuit;
    if (ready <= 0) continue;
    if (sources[0].revents != 0) {
      if (const Event event = read_signal(); event != Event::kTimeout) return event;
    }
    if (before_ && sources[1].revents != 0) {
      char key = 0;
      if (::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q') return Event::kQuit;
    }
  }
}

}  // namespace rocktune::tools
