#include "bench/trial/screen.h"

#include <unistd.h>

#include <cstdio>

#include "bench/cli/terminal.h"
#include "bench/trial/alert_tail.h"
#include "model/knobs.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

constexpr int kShowEvery = 5;

double at(const json& event, const char* path) {
  const json::json_pointer pointer(path);
  if (!event.contains(pointer) || !event.at(pointer).is_number()) return 0;
  return event.at(pointer).get<double>();
}

// The P99 of an operation, or a dash in a second in which none ended.
std::string p99_ms(const json& event, const std::string& operation) {
  const json::json_pointer pointer("/operations/" + operation + "/p99_us");
  if (!event.contains(pointer)) return "    -";
  char text[32];
  std::snprintf(text, sizeof text, "%5.2f", at(event, pointer.to_string().c_str()) / 1e3);
  return text;
}

}  // namespace

Screen::Screen(bool silent) : silent_(silent), terminal_(isatty(STDOUT_FILENO) != 0) {}

void Screen::say(const std::string& line) {
  if (silent_) return;
  const std::string reopened = open_;
  if (!open_.empty()) std::printf("\r\033[K");
  std::printf("%s\n", line.c_str());
  if (!reopened.empty()) std::printf("%s", reopened.c_str());
  std::fflush(stdout);
}

void Screen::progress(const std::string& line) {
  if (silent_) return;
  if (terminal_) {
    open_ = fit_to_terminal(line, STDOUT_FILENO);
    std::printf("\r\033[K%s", open_.c_str());
  } else if (skipped_++ % kShowEvery == 0) {
    std::printf("%s\n", line.c_str());
  }
  std::fflush(stdout);
}

void Screen::end_progress() {
  if (silent_) return;
  if (!open_.empty()) std::printf("\n");
  open_.clear();
  skipped_ = 0;
  std::fflush(stdout);
}

std::string second_text(const std::string& run, const json& event) {
  const auto knob = [&event](std::string_view name) {
    const std::string key(name);
    return shown(key, static_cast<std::int64_t>(at(event, ("/knobs/" + key).c_str())));
  };
  const std::string phase = event.value("phase", "?");
  std::string text =
      "[" + run + "] " + phase + std::string(phase.size() < 6 ? 6 - phase.size() : 0, ' ') +
      formatted(" %3.0f s", at(event, "/start_seconds") + at(event, "/seconds")) +
      formatted(" %6.0f ops/s", at(event, "/ops_per_second")) + "  P99 read " +
      p99_ms(event, "read") + " update " + p99_ms(event, "update") + " ms" +
      formatted("  L0 %2.0f", at(event, "/l0_files")) +
      formatted("  pending %4.0f MiB", at(event, "/pending_compaction_bytes") / 1048576) +
      "  limit " + knob(knob::kRateLimit) + "  jobs " + knob(knob::kBackgroundJobs) + "  cache " +
      knob(knob::kCacheCapacity);
  if (event.value("write_stopped", false)) return text + "  WRITES STOPPED";
  if (at(event, "/delayed_write_rate_bytes_per_second") > 0) text += "  writes delayed";
  return text;
}

}  // namespace rocktune::bench
