#include "bench/device/device_command.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/cli/temporary.h"
#include "bench/device/cost.h"
#include "bench/device/fit.h"
#include "bench/device/loop_traces.h"
#include "bench/text_file.h"
#include "scenario/located_yaml.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

// The mixed-load curve should come this close to points that the fit has not seen.
constexpr double kMedianErrorTarget = 0.10;

int failed(int code, const Error& error) {
  std::fprintf(stderr, "rocktune-bench: %s\n", error.message.c_str());
  return code;
}

struct FitReport {
  DeviceFit fit;
  std::size_t points = 0;
  ErrorSummary fitted_on;       // the model at the points it was fitted to
  ErrorSummary held_out_model;  // and at those it was not
  ErrorSummary held_out_formula;
  ErrorSummary held_out_load;      // of full devices
  ErrorSummary every_mixed_model;  // each mixed point once, by the fit that has not seen it
};

struct PartErrors {
  std::vector<double> fitted_on, model, formula, load;
};

Result<DeviceFit> fit_without(const std::vector<MeasuredPoint>& points,
                              const DeviceFitSettings& settings, std::int64_t write_buffer_bytes,
                              std::uint64_t part, PartErrors& errors) {
  const std::vector<bool> held = held_out(points, settings.seed, settings.parts, part);
  std::vector<MeasuredPoint> seen;
  std::vector<MeasuredPoint> unseen;
  for (std::size_t i = 0; i < points.size(); ++i) (held[i] ? unseen : seen).push_back(points[i]);
  auto fit = fit_device(seen, write_buffer_bytes);
  if (!fit) return fit;
  // The shipped fit's only, as driving the model takes seconds.
  for (const MeasuredPoint& point : seen) {
    if (part == 0) errors.fitted_on.push_back(model_error(*fit, point));
  }
  for (const MeasuredPoint& point : unseen) {
    errors.model.push_back(model_error(*fit, point));
    errors.formula.push_back(formula_error(*fit, point));
    if (point.load.in_flight() >= kFullInFlight) errors.load.push_back(load_error(*fit, point));
  }
  return fit;
}

Result<FitReport> make_report(const std::vector<MeasuredPoint>& points,
                              const DeviceFitSettings& settings) {
  const auto write_buffer = scenario::parse_bytes(settings.write_buffer);
  if (!write_buffer) {
    return fail(ErrorCode::kInvalidArgument,
                "--write-buffer '" + settings.write_buffer + "' is no size such as 32MiB");
  }
  FitReport report;
  report.points = points.size();
  std::vector<double> every_mixed;
  for (std::uint64_t part = 0; part < settings.parts; ++part) {
    PartErrors errors;
    auto fit = fit_without(points, settings, *write_buffer, part, errors);
    if (!fit) return tl::unexpected(fit.error().within(settings.points));
    every_mixed.insert(every_mixed.end(), errors.model.begin(), errors.model.end());
    if (part != 0) continue;
    report.fit = std::move(*fit);
    report.fitted_on = summarise(errors.fitted_on);
    report.held_out_model = summarise(errors.model);
    report.held_out_formula = summarise(errors.formula);
    report.held_out_load = summarise(errors.load);
  }
  report.every_mixed_model = summarise(std::move(every_mixed));
  report.fit.profile.name = settings.name;
  report.fit.profile.description = settings.description;
  return report;
}

bool met(const FitReport& report) {
  return report.held_out_model.median < kMedianErrorTarget;
}

std::string error_line(const char* what, const ErrorSummary& summary) {
  char text[160];
  std::snprintf(text, sizeof text, "# %-52s %6zu  %5.1f%%  %5.1f%%  %5.1f%%\n", what,
                summary.points, summary.median * 100, summary.p90 * 100, summary.max * 100);
  return text;
}

// A profile that says in its comments how good it is.
std::string report_text(const FitReport& report, const DeviceFitSettings& settings) {
  char text[400];
  std::snprintf(text, sizeof text,
                "# Fitted by `rocktune-bench device fit` to %zu of %zu points of fio runs. Of the "
                "mixed ones, part 1 of\n# %llu (shuffled with seed %llu) was held out. "
                "|emulated / measured - 1| of the throughput:\n#\n",
                report.fitted_on.points, report.points,
                static_cast<unsigned long long>(settings.parts),
                static_cast<unsigned long long>(settings.seed));
  std::string out = text;
  std::snprintf(text, sizeof text, "# %-52s %6s  %6s  %6s  %6s\n", "", "points", "median", "P90",
                "max");
  out += text;
  out += error_line("fitted to, device model in virtual time", report.fitted_on);
  out += error_line("held out, device model in virtual time", report.held_out_model);
  out += error_line("held out, formula", report.held_out_formula);
  out += error_line("held out, |load - 1| with 64 or more in flight", report.held_out_load);
  out += error_line("each mixed point held out once, device model", report.every_mixed_model);
  std::snprintf(text, sizeof text,
                "#\n# Target: held out, device model, a median under %.0f%%: %s.\n"
                "# The measuring host needed %.2f us of CPU for a request (one job does no more "
                "than %.0f a second).\n",
                kMedianErrorTarget * 100, met(report) ? "met" : "missed",
                report.fit.host_us_per_request, 1e6 / report.fit.host_us_per_request);
  return out + text + scenario::format_device_profile(report.fit.profile);
}

json summary_json(const ErrorSummary& summary) {
  return {{"points", summary.points},
          {"median_ratio", summary.median},
          {"p90_ratio", summary.p90},
          {"max_ratio", summary.max}};
}

json report_json(const FitReport& report, const DeviceFitSettings& settings) {
  return {{"schema", "rocktune-device-fit/1"},
          {"points", report.points},
          {"parts", settings.parts},
          {"seed", settings.seed},
          {"errors",
           {{"fitted_to", summary_json(report.fitted_on)},
            {"held_out", summary_json(report.held_out_model)},
            {"held_out_formula", summary_json(report.held_out_formula)},
            {"held_out_load", summary_json(report.held_out_load)},
            {"every_mixed_point_held_out_once", summary_json(report.every_mixed_model)}}},
          {"median_target_ratio", kMedianErrorTarget},
          {"met", met(report)},
          {"host_us_per_request", report.fit.host_us_per_request},
          {"profile_yaml", scenario::format_device_profile(report.fit.profile)}};
}

json cost_json(const DeviceCost& cost) {
  return {{"threads", cost.threads},
          {"requests", cost.requests},
          {"cpu_ns_per_request", cost.cpu_ns},
          {"wall_ns_per_request", cost.wall_ns},
          {"met", cost.cpu_ns < kDeviceCostTargetNs}};
}

}  // namespace

int device_fit_command(const DeviceFitSettings& settings) {
  const auto text = read_text_file(settings.points);
  if (!text) return failed(2, text.error());
  const auto points = parse_points(*text, settings.points);
  if (!points) return failed(2, points.error());
  const auto report = make_report(*points, settings);
  if (!report) return failed(2, report.error());
  std::cout << (settings.json ? report_json(*report, settings).dump(2) + "\n"
                              : report_text(*report, settings))
            << std::flush;
  return std::cout ? 0 : 1;
}

int device_cost_command(const DeviceCostSettings& settings) {
  const auto profile = scenario::load_device_profile(settings.profile);
  if (!profile) return failed(2, profile.error());
  auto directory = TemporaryDirectory::create("rocktune-bench");
  if (!directory) return failed(1, directory.error());
  json rows = json::array();
  if (!settings.json) {
    std::printf("emulated device %s, %u CPUs, waiting left out\n%7s  %12s  %12s   (target %.0f)\n",
                profile->name.c_str(), std::thread::hardware_concurrency(), "threads", "CPU ns/IO",
                "wall ns/IO", kDeviceCostTargetNs);
  }
  for (const std::int64_t threads : {1, 2, 8}) {
    const auto cost = measure_device_cost(*profile, directory->path(), threads, settings.requests);
    if (!cost) return failed(1, cost.error());
    rows.push_back(cost_json(*cost));
    if (settings.json) continue;
    std::printf("%7lld  %12.0f  %12.0f   %s\n", static_cast<long long>(threads), cost->cpu_ns,
                cost->wall_ns, cost->cpu_ns < kDeviceCostTargetNs ? "met" : "missed");
  }
  if (settings.json) {
    std::cout << json{{"schema", "rocktune-device-cost/1"},
                      {"label", "emulated device"},
                      {"device", profile->name},
                      {"cpus", std::thread::hardware_concurrency()},
                      {"target_cpu_ns_per_request", kDeviceCostTargetNs},
                      {"runs", std::move(rows)}}
                     .dump(2)
              << std::endl;
  }
  return 0;
}

int device_clean_command() {
  // What is there belongs to root, and so do the notes of it, which nobody else can read.
  if (::geteuid() != 0) {
    std::fprintf(stderr, "rocktune-bench: loop devices are taken down by root: run as root\n");
    return 1;
  }
  const auto found = take_down_leftovers(kLoopNotes);
  bool all = true;
  for (const auto& [traces, removed] : found) {
    std::printf("%s %s and %s\n", removed ? "removed" : "could not remove",
                traces.directory.c_str(), traces.group.c_str());
    all = all && removed;
  }
  if (found.empty()) std::printf("nothing was left of a killed run\n");
  return all ? 0 : 1;
}

}  // namespace rocktune::bench
