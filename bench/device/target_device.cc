#include "bench/device/target_device.h"

#include <algorithm>
#include <filesystem>

#include "bench/device/device.h"
#include "bench/device/file_system.h"
#include "bench/device/loop_device.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLoopPrefix = "loop:";

class RealDevice : public TargetDevice {
 public:
  [[nodiscard]] std::string label() const override { return "real device"; }
};

class EmulatedTarget : public TargetDevice {
 public:
  EmulatedTarget(std::unique_ptr<EmulatedDevice> device, std::string directory)
      : device_(std::move(device)),
        directory_(std::move(directory)),
        file_system_(make_device_file_system(rocksdb::FileSystem::Default(), *device_)) {}
  ~EmulatedTarget() override {
    std::error_code ignored;
    for (const std::string& link : links_) fs::remove(link, ignored);
  }

  [[nodiscard]] std::string label() const override { return "emulated device"; }
  [[nodiscard]] const DeviceProfile* profile() const override { return &device_->profile(); }
  [[nodiscard]] std::shared_ptr<rocksdb::FileSystem> file_system() override { return file_system_; }
  [[nodiscard]] std::optional<std::string> stat_path() const override {
    return directory_ + "/stat";
  }
  Result<void> set_charging(bool on) override {
    device_->set_charging(on);
    return {};
  }
  // rocktuned looks for "<database>.device/stat": the first database has the directory itself
  // there, others get a link to it.
  Result<void> announce(const std::string& database_path) override {
    const std::string link = database_path + ".device";
    std::error_code error;
    if (fs::equivalent(link, directory_, error)) return {};
    if (fs::is_symlink(link, error)) fs::remove(link, error);
    fs::create_directory_symlink(directory_, link, error);
    if (error) return fail(ErrorCode::kIo, link + ": cannot be made: " + error.message());
    links_.push_back(link);
    return {};
  }

 private:
  std::unique_ptr<EmulatedDevice> device_;
  const std::string directory_;
  std::shared_ptr<rocksdb::FileSystem> file_system_;
  std::vector<std::string> links_;
};

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

Result<std::unique_ptr<TargetDevice>> make_device(const DeviceSpec& spec,
                                                  const DevicePlace& place) {
  switch (spec.kind) {
    case DeviceKind::kReal:
      break;
    case DeviceKind::kLoop:
      return LoopDevice::create(spec.profile, place);
    case DeviceKind::kEmulated: {
      const std::string directory = fs::absolute(place.control_directory).lexically_normal();
      auto device = EmulatedDevice::create(spec.profile, directory);
      if (!device) return tl::unexpected(device.error());
      return std::make_unique<EmulatedTarget>(std::move(*device), directory);
    }
  }
  return std::make_unique<RealDevice>();
}

}  // namespace rocktune::bench
