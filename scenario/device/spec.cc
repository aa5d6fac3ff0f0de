#include "scenario/device/spec.h"

#include <algorithm>
#include <string_view>

namespace rocktune::scenario {
namespace {

constexpr std::string_view kLoopPrefix = "loop:";

// "60:0.5@90:1"
Result<std::vector<Degradation>> parse_degradations(const std::string& text) {
  std::vector<Degradation> steps;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('@', begin), text.size());
    const auto step = parse_degradation(text.substr(begin, end - begin));
    if (!step) return tl::unexpected(step.error());
    if (!steps.empty() && step->after_seconds <= steps.back().after_seconds) {
      return fail(ErrorCode::kInvalidArgument,
                  "degradation '" + text + "': give the steps by rising time");
    }
    steps.push_back(*step);
    begin = end + 1;
  }
  return steps;
}

}  // namespace

Result<DeviceSpec> parse_device_spec(const std::string& text, double scale) {
  if (text == "none") return DeviceSpec{};
  DeviceSpec spec;
  spec.kind = text.starts_with(kLoopPrefix) ? DeviceKind::kLoop : DeviceKind::kEmulated;
  const std::string named = spec.kind == DeviceKind::kLoop ? text.substr(kLoopPrefix.size()) : text;
  // A directory may well have an '@' in its name.
  const std::size_t slash = named.rfind('/');
  const std::size_t end = named.find('@', slash == std::string::npos ? 0 : slash);
  auto profile = load_device_profile(named.substr(0, end));
  if (!profile) return tl::unexpected(profile.error().within("--device " + text));
  if (end != std::string::npos) {
    auto steps = parse_degradations(named.substr(end + 1));
    if (!steps) return tl::unexpected(steps.error().within("--device " + text));
    profile->degradation = std::move(*steps);
  }
  spec.profile = profile->scaled(scale);
  return spec;
}

}  // namespace rocktune::scenario
