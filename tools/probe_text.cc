#include "tools/probe_text.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/text.h"

namespace rocktune::tools {
namespace {

using nlohmann::json;

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// No exponent, whatever the size.
std::string whole_or_decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.4g", value);
  return text;
}

std::string yaml_text(const std::string& text) {
  return json(text).dump(-1, ' ', true,
                         json::error_handler_t::replace);  // YAML takes JSON's strings
}

std::string yaml_line(const char* key, double value) {
  return std::string(key) + ": " + whole_or_decimal(value) + "\n";
}

std::string yaml_direction(const FioDirection& direction) {
  return "{bytes_per_second: " + whole_or_decimal(direction.bytes_per_second) +
         ", iops: " + whole_or_decimal(direction.requests_per_second) +
         ", mean_us: " + figure(direction.mean_us) +
         ", spread_ratio: " + figure(direction.spread_ratio) + "}";
}

std::string yaml_step(const MeasuredStep& step) {
  std::string out = "    " + step.name + ": {";
  const bool reads = step.result.read.bytes > 0;
  if (reads) out += "read: " + yaml_direction(step.result.read);
  if (step.result.write.bytes > 0) {
    out += (reads ? ", " : "") + std::string("write: ") + yaml_direction(step.result.write);
  }
  return out + "}\n";
}

json direction_json(const FioDirection& direction) {
  return {{"bytes_per_second", direction.bytes_per_second},
          {"iops", direction.requests_per_second},
          {"mean_us", direction.mean_us},
          {"spread_ratio", direction.spread_ratio}};
}

const std::string& fio_version(const ProbeReport& report) {
  return report.steps.front().result.version;
}

}  // namespace

std::string probe_yaml(const ProbeReport& report) {
  const DeviceCapacities& found = report.fit.capacities;
  const ProbeSetting& setting = report.setting;
  std::string out =
      "# What a device can do, measured by `rocktune probe-device`. rocktuned reads it where "
      "`device_profile` names it.\n";
  if (!setting.direct) {
    out += "# The file system took no direct I/O: the page cache is part of these figures.\n";
  }
  out += "# Of requests so long that their number does not count; and of 4 KiB each.\n";
  out += yaml_line("read_bytes_per_second", found.read->bytes_per_second);
  out += yaml_line("write_bytes_per_second", found.write->bytes_per_second);
  out += yaml_line("read_iops", found.read->iops);
  out += yaml_line("write_iops", found.write->iops);
  out += "# The device is full when u_r + u_w + mixing_loss * u_r * u_w = 1.\n";
  out += yaml_line("mixing_loss", *found.mixing_loss);
  out += "# One read of 4 KiB at a time.\n";
  out += yaml_line("read_latency_us", *found.read_await_seconds * 1e6);
  out += "measured:\n  time: " + yaml_text(setting.time) +
         "\n  by: " + yaml_text(fio_version(report)) + "\n  place: " + yaml_text(setting.place) +
         "\n  device: " + (setting.device.empty() ? "null" : yaml_text(setting.device)) +
         "\n  direct: " + (setting.direct ? "true" : "false") +
         "\n  file_bytes: " + std::to_string(setting.file_bytes) +
         "\n  seconds: " + figure(setting.seconds) +
         "\n  # |load - 1| at the mixed loads, where the device did no more: the median\n" +
         "  mixed_error_ratio: " + figure(report.fit.median_error) + "\n  steps:\n";
  for (const MeasuredStep& step : report.steps) out += yaml_step(step);
  return out;
}

std::string probe_json(const ProbeReport& report) {
  const DeviceCapacities& found = report.fit.capacities;
  const ProbeSetting& setting = report.setting;
  json steps = json::object();
  for (const MeasuredStep& step : report.steps) {
    json& entry = steps[step.name];
    if (step.result.read.bytes > 0) entry["read"] = direction_json(step.result.read);
    if (step.result.write.bytes > 0) entry["write"] = direction_json(step.result.write);
  }
  const json root{{"schema", "rocktune-probe-device/1"},
                  {"read_bytes_per_second", found.read->bytes_per_second},
                  {"write_bytes_per_second", found.write->bytes_per_second},
                  {"read_iops", found.read->iops},
                  {"write_iops", found.write->iops},
                  {"mixing_loss", *found.mixing_loss},
                  {"read_latency_us", *found.read_await_seconds * 1e6},
                  {"measured",
                   {{"time", setting.time},
                    {"by", fio_version(report)},
                    {"place", setting.place},
                    {"device", setting.device.empty() ? json(nullptr) : json(setting.device)},
                    {"direct", setting.direct},
                    {"file_bytes", setting.file_bytes},
                    {"seconds", setting.seconds},
                    {"mixed_error_ratio", report.fit.median_error},
                    {"steps", std::move(steps)}}}};
  return root.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string measured_text(const FioResult& result) {
  const auto one = [](const char* what, const FioDirection& direction) {
    char text[160];
    std::snprintf(text, sizeof text, "%s%.0f MB/s, %.0f requests/s, %s each (+-%.0f%%)", what,
                  direction.bytes_per_second / 1e6, direction.requests_per_second,
                  microseconds_text(direction.mean_us).c_str(), direction.spread_ratio * 100);
    return std::string(text);
  };
  const bool reads = result.read.bytes > 0;
  const bool writes = result.write.bytes > 0;
  if (reads && writes) return one("reads ", result.read) + "; " + one("writes ", result.write);
  return writes ? one("", result.write) : one("", result.read);
}

}  // namespace rocktune::tools
