#include "bench/replay_speed/report.h"

#include <algorithm>
#include <cstdio>

namespace rocktune::bench {
namespace {

using nlohmann::json;

constexpr double kMegabyte = 1e6;

double per(double amount, std::int64_t count) {
  return count > 0 ? amount / static_cast<double>(count) : 0;
}

std::string memory_text(const SpeedCost& cost) {
  char text[96];
  std::snprintf(text, sizeof text, "at most %.1f MB of memory (%.1f before)",
                static_cast<double>(cost.memory_most) / kMegabyte,
                static_cast<double>(cost.memory_before) / kMegabyte);
  return text;
}

// In the middle, and from where to where.
std::string seconds_text(const SpeedCost& cost) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f s (%.2f to %.2f)", cost.seconds, cost.fastest_seconds,
                cost.slowest_seconds);
  return text;
}

std::string open_loop_line(const OpenLoopSpeed& one, std::int64_t samples) {
  char text[240];
  std::snprintf(text, sizeof text, "open loop    %-10s %s, %5.1f us a sample, CPU %.2f s, %s",
                one.policy.c_str(), seconds_text(one.cost).c_str(),
                per(one.cost.seconds * 1e6, samples), one.cost.cpu_seconds,
                memory_text(one.cost).c_str());
  std::string line = text;
  if (!one.as_recorded) return line;
  return line + (one.steps_that_differ == 0
                     ? "; as recorded"
                     : "; " + std::to_string(one.steps_that_differ) + " steps differ");
}

std::string closed_loop_line(const ClosedLoopSpeed& one) {
  char text[240];
  std::snprintf(text, sizeof text, "closed loop  %-10s %s for %.0f s: %.0f times real time, %s",
                one.policy.c_str(), seconds_text(one.cost).c_str(), one.simulated_seconds,
                one.times_real_time(), memory_text(one.cost).c_str());
  return text;
}

json speed_cost_json(const SpeedCost& cost) {
  return {{"seconds", cost.seconds},
          {"fastest_seconds", cost.fastest_seconds},
          {"slowest_seconds", cost.slowest_seconds},
          {"cpu_seconds", cost.cpu_seconds},
          {"runs", cost.runs},
          {"memory_before_bytes", cost.memory_before},
          {"memory_most_bytes", cost.memory_most}};
}

template <class Speed>
bool lacks_runs(const std::vector<Speed>& loop, std::size_t policies, int repeats) {
  return loop.size() < policies ||
         std::any_of(
             loop.begin(), loop.end(), [&](const Speed& one) { return one.cost.runs < repeats; });
}

}  // namespace

bool lacks_runs(const ReplaySpeedReport& report, std::size_t policies) {
  return lacks_runs(report.open_loop, policies, report.repeats) ||
         lacks_runs(report.closed_loop, policies, report.repeats);
}

std::string replay_speed_text(const ReplaySpeedReport& report) {
  const auto bytes = static_cast<double>(report.trace_bytes);
  char text[240];
  std::snprintf(text, sizeof text,
                "%s%lld samples of %lld column families; of %d times in turns the middle one\n"
                "trace        %.1f MB, %.0f bytes a sample; made in %.1f s\n",
                report.partial ? "STOPPED, hence a part: " : "",
                static_cast<long long>(report.samples), static_cast<long long>(report.families),
                report.repeats, bytes / kMegabyte, per(bytes, report.samples),
                report.write_seconds);
  std::string lines = text;
  for (const auto& one : report.open_loop) lines += open_loop_line(one, report.samples) + "\n";
  for (const auto& one : report.closed_loop) lines += closed_loop_line(one) + "\n";
  return lines;
}

json replay_speed_json(const ReplaySpeedReport& report) {
  json out{{"schema", "rocktune-replay-speed/1"},
           {"samples", report.samples},
           {"column_families", report.families},
           {"repeats", report.repeats},
           {"partial", report.partial},
           {"trace_bytes", report.trace_bytes},
           {"bytes_per_sample", per(static_cast<double>(report.trace_bytes), report.samples)},
           {"write_seconds", report.write_seconds},
           {"open_loop", json::array()},
           {"closed_loop", json::array()}};
  for (const auto& one : report.open_loop) {
    json row = speed_cost_json(one.cost);
    row["policy"] = one.policy;
    row["us_per_sample"] = per(one.cost.seconds * 1e6, report.samples);
    row["as_recorded"] = one.as_recorded;
    if (one.as_recorded) row["steps_that_differ"] = one.steps_that_differ;
    out["open_loop"].push_back(std::move(row));
  }
  for (const auto& one : report.closed_loop) {
    json row = speed_cost_json(one.cost);
    row["policy"] = one.policy;
    row["simulated_seconds"] = one.simulated_seconds;
    row["times_real_time"] = one.times_real_time();
    out["closed_loop"].push_back(std::move(row));
  }
  return out;
}

}  // namespace rocktune::bench
