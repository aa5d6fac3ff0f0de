#include "bench/device/target_device.h"

#include <filesystem>

#include "bench/device/device.h"
#include "bench/device/file_system.h"
#include "bench/device/loop_device.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

// What an emulated device publishes. Without it rocktuned looks at the real device again.
void remove_published(const std::string& directory) {
  std::error_code ignored;
  if (!fs::is_symlink(directory, ignored)) {
    for (const char* file : {"stat", "stat.new", "model"})
      fs::remove(directory + "/" + file, ignored);
  }
  fs::remove(directory, ignored);  // unless something else is in it
}

class RealDevice : public TargetDevice {
 public:
  [[nodiscard]] std::string label() const override { return "real device"; }
  // What a killed run left would stand for this device.
  Result<void> announce(const std::string& database_path) override {
    const std::string left = database_path + ".device";
    std::error_code ignored;
    if (fs::exists(left + "/model", ignored)) remove_published(left);
    return {};
  }
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
    file_system_.reset();
    device_.reset();  // publishes once more
    remove_published(directory_);
  }

  [[nodiscard]] std::string label() const override { return "emulated device"; }
  [[nodiscard]] const scenario::DeviceProfile* profile() const override {
    return &device_->profile();
  }
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

}  // namespace

Result<std::unique_ptr<TargetDevice>> make_device(const scenario::DeviceSpec& spec,
                                                  const DevicePlace& place) {
  switch (spec.kind) {
    case scenario::DeviceKind::kReal:
      break;
    case scenario::DeviceKind::kLoop:
      return LoopDevice::create(spec.profile, place);
    case scenario::DeviceKind::kEmulated: {
      const std::string directory = fs::absolute(place.control_directory).lexically_normal();
      auto device = EmulatedDevice::create(spec.profile, directory);
      if (!device) return tl::unexpected(device.error());
      return std::make_unique<EmulatedTarget>(std::move(*device), directory);
    }
  }
  return std::make_unique<RealDevice>();
}

}  // namespace rocktune::bench
