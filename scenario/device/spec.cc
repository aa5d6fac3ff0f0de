#include "scenario/device/spec.h"

#include <algorithm>
#include <optional>

#include "model/text.h"

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

// "loop:PROFILE@STEPS" in its parts.
struct DeviceText {
  bool loop = false;
  std::string_view profile;
  std::optional<std::string_view> steps;  // absent: those of the profile
};

DeviceText parts_of(std::string_view text) {
  DeviceText parts;
  parts.loop = text.starts_with(kLoopPrefix);
  if (parts.loop) text.remove_prefix(kLoopPrefix.size());
  // A directory may well have an '@' in its name.
  const std::size_t slash = text.rfind('/');
  const std::size_t end = text.find('@', slash == std::string_view::npos ? 0 : slash);
  parts.profile = text.substr(0, end);
  if (end != std::string_view::npos) parts.steps = text.substr(end + 1);
  return parts;
}

}  // namespace

Result<DeviceSpec> parse_device_spec(const std::string& text, double scale) {
  if (text == "none") return DeviceSpec{};
  const DeviceText parts = parts_of(text);
  DeviceSpec spec;
  spec.kind = parts.loop ? DeviceKind::kLoop : DeviceKind::kEmulated;
  auto profile = load_device_profile(std::string(parts.profile));
  if (!profile) return tl::unexpected(profile.error().within("--device " + text));
  if (parts.steps) {
    auto steps = parse_degradations(std::string(*parts.steps));
    if (!steps) return tl::unexpected(steps.error().within("--device " + text));
    profile->degradation = std::move(*steps);
  }
  spec.profile = profile->scaled(scale);
  return spec;
}

std::string profile_named(std::string_view text) {
  return std::string(parts_of(text).profile);
}

Result<std::string> stretched_device(const std::string& text, double factor) {
  auto spec = parse_device_spec(text, 1);
  if (!spec) return tl::unexpected(spec.error());
  spec->profile.stretch(factor);
  const DeviceText parts = parts_of(text);
  std::string out(parts.loop ? kLoopPrefix : "");
  out += parts.profile;
  for (const Degradation& step : spec->profile.degradation) {
    out += "@" + text::exact(step.after_seconds) + ":" + text::exact(step.rates);
  }
  return out;
}

}  // namespace rocktune::scenario
