#include "bench/trial/watch.h"

#include "bench/cli/stop.h"
#include "bench/config/located_yaml.h"

namespace rocktune::bench {
namespace {

using std::chrono::milliseconds;

// A run that is told to stop finishes the operations it has begun and closes its databases: on a
// slow device that waits for a flush.
constexpr milliseconds kPatience = std::chrono::seconds(20);
constexpr milliseconds kTick{200};
constexpr std::size_t kLongestLogEnd = 2000;

void pass_on(Child& child, milliseconds timeout, const Watcher& watcher) {
  for (const std::string& line : child.read_lines(timeout)) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && watcher.event) watcher.event(event);
  }
}

}  // namespace

std::string log_end(const std::string& log) {
  auto text = read_text_file(log);
  if (!text || text->empty()) return "no log";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return text->size() <= kLongestLogEnd ? *text : text->substr(text->size() - kLongestLogEnd);
}

Result<Watched> watch_child(Child& child, const std::string& what, const std::string& log,
                            const Watcher& watcher) {
  for (bool ended = false; !ended;) {
    if (stop_requested()) {
      child.stop(kPatience);
      return Watched::kStopped;
    }
    ended = child.exit_code().has_value();
    pass_on(child, ended ? milliseconds(0) : kTick, watcher);
    if (watcher.tick) watcher.tick();
  }
  if (child.exit_code() == 0) return Watched::kEnded;
  return fail(
      ErrorCode::kUnavailable,
      what + " failed with exit code " + std::to_string(*child.exit_code()) + ": " + log_end(log));
}

}  // namespace rocktune::bench
