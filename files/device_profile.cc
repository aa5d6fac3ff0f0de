#include "files/device_profile.h"

#include <set>
#include <vector>

#include "files/section.h"
#include "files/text_file.h"
#include "files/units.h"

namespace rocktune {
namespace {

constexpr std::size_t kLargestProfile = std::size_t{1} << 20;

class ProfileReader {
 public:
  ProfileReader(const RawConfig& raw, Problems& problems)
      : raw_(raw), problems_(problems), root_(reading_, &raw.root, "") {}

  [[nodiscard]] bool is_of_the_bench() const { return root_.has("write_latency_us"); }

  DeviceCapacities read() {
    DeviceCapacities out;
    out.read = direction("read_bytes_per_second", "read_iops");
    out.write = direction("write_bytes_per_second", "write_iops");
    out.mixing_loss = number("mixing_loss", kLeastMixingLoss, kMostMixingLoss, true);
    const std::optional<double> latency_us = number("read_latency_us", 0.01, 1e7, false);
    if (latency_us) out.read_await_seconds = *latency_us / 1e6;
    static_cast<void>(root_.section("measured"));
    root_.finish();
    return out;
  }

 private:
  std::optional<DirectionCapacity> direction(const char* bytes_key, const char* iops_key) {
    const std::optional<double> bytes = number(bytes_key, 1, 1e15, true);
    const std::optional<double> iops = number(iops_key, 0.01, 1e12, true);
    if (!bytes || !iops) return std::nullopt;
    return DirectionCapacity{*bytes, *iops};
  }

  std::optional<double> number(const char* key, double low, double high, bool required) {
    double value = low;
    root_.read(
        key, value,
        [&](std::string_view text) -> Result<double> {
          Result<double> parsed = parse_number(text);
          if (!parsed || (*parsed >= low && *parsed <= high)) return parsed;
          return fail(ErrorCode::kInvalidArgument,
                      "'" + std::string(text) + "' is out of range; write " + format_number(low) +
                          " to " + format_number(high));
        },
        format_number);
    if (!root_.has(key)) {
      if (required) problems_.add({1, 1}, key, "is missing: probe the device anew");
      return std::nullopt;
    }
    return value;
  }

  const RawConfig& raw_;
  Problems& problems_;
  std::vector<Setting> settings_;
  std::set<std::string> known_;
  Reading reading_{raw_, problems_, settings_, known_};
  Section root_;
};

}  // namespace

Result<DeviceCapacities> parse_device_profile(std::string_view text, const std::string& file) {
  const Result<RawConfig> raw = parse_yaml(text, file);
  if (!raw) return tl::unexpected(raw.error());
  if (raw->root.kind != RawNode::Kind::kMap) {
    return fail(ErrorCode::kInvalidArgument,
                file + ":1:1: is no device profile as `rocktune probe-device` writes it");
  }
  Problems problems(file);
  ProfileReader reader(*raw, problems);
  if (reader.is_of_the_bench()) {
    return fail(ErrorCode::kInvalidArgument,
                file +
                    " is a device for rocktune-bench to emulate; give a profile as `rocktune "
                    "probe-device` writes it");
  }
  const DeviceCapacities capacities = reader.read();
  std::string joined;
  for (const std::string& problem : problems.sorted()) {
    joined += (joined.empty() ? "" : "; ") + problem;
  }
  if (!joined.empty()) return fail(ErrorCode::kInvalidArgument, joined);
  return capacities;
}

Result<DeviceCapacities> load_device_profile(const std::string& path) {
  const Result<std::string> text = read_text_file(path, kLargestProfile);
  if (!text) {
    return fail(text.error().code, "cannot read the device profile " + text.error().message);
  }
  return parse_device_profile(*text, path);
}

}  // namespace rocktune
