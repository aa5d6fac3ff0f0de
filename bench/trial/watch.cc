#include "bench/trial/watch.h"

#include <csignal>
#include <cstdio>
#include <cstring>

#include "bench/cli/stop.h"
#include "bench/device/loop_traces.h"
#include "bench/text_file.h"

namespace rocktune::bench {
namespace {

using std::chrono::milliseconds;

// A run that is told to stop finishes the operations it has begun, closes its databases and writes
// what it has measured. The device no longer slows it down then, but a busy disk may: one that is
// killed has measured for nothing.
constexpr milliseconds kWatchedStopPatience = std::chrono::seconds(60);
constexpr int kStopped = 130;   // the exit code of a command that was told to stop
constexpr int kBySignal = 128;  // Child's codes from here on are signals
constexpr int kKilledCode = kBySignal + SIGKILL;  // of one that lost our patience
constexpr milliseconds kTick{200};
constexpr std::size_t kLongestLogEnd = 2000;

void pass_on(Child& child, milliseconds timeout, const Watcher& watcher) {
  for (const std::string& line : child.read_lines(timeout)) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && watcher.event) watcher.event(event);
  }
}

bool by_signal(int exit_code) {
  return exit_code > kBySignal && exit_code < kBySignal + NSIG;
}

// One that had to be killed could not take down its loop device.
void end_child(Child& child, const std::string& what) {
  if (child.stop(kWatchedStopPatience) != kKilledCode) return;
  std::fprintf(stderr, "rocktune-bench: %s had to be killed\n", what.c_str());
  (void)take_down_leftovers(kLoopNotes);
}

}  // namespace

std::string log_end(const std::string& log) {
  auto text = read_text_file(log);
  if (!text || text->empty()) return "no log";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return text->size() <= kLongestLogEnd ? *text : text->substr(text->size() - kLongestLogEnd);
}

std::string how_it_ended(int exit_code) {
  const int signal = exit_code - kBySignal;
  if (!by_signal(exit_code)) return "failed with exit code " + std::to_string(exit_code);
  if (exit_code == kStopped) return "was stopped";  // also by a SIGTERM, hence without a name
  const std::string killed = "was killed by signal " + std::to_string(signal);
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? killed : killed + " (SIG" + name + ")";
}

ErrorCode ended_code(int exit_code) {
  return by_signal(exit_code) ? ErrorCode::kUnavailable : ErrorCode::kIo;
}

Result<Watched> watch_child(Child& child, const std::string& what, const std::string& log,
                            const Watcher& watcher) {
  for (bool ended = false; !ended;) {
    if (stop_requested()) {
      end_child(child, what);
      return Watched::kStopped;
    }
    ended = child.exit_code().has_value();
    pass_on(child, ended ? milliseconds(0) : kTick, watcher);
    if (watcher.tick) watcher.tick();
  }
  if (child.exit_code() == 0) return Watched::kEnded;
  // The signal may have reached the child before us.
  if (child.exit_code() == kStopped && stop_requested()) return Watched::kStopped;
  return fail(ended_code(*child.exit_code()),
              what + " " + how_it_ended(*child.exit_code()) + ": " + log_end(log));
}

}  // namespace rocktune::bench
