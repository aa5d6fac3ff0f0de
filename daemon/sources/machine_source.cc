#include "daemon/sources/machine_source.h"

#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

namespace rocktune::daemon {
namespace {

constexpr Nanoseconds kLookAgain = std::chrono::seconds(10);

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

}  // namespace

MachineSource::MachineSource(Roots roots, OnMachine database, Nanoseconds now)
    : roots_(std::move(roots)), database_(std::move(database)) {
  find(now);
}

void MachineSource::find(Nanoseconds now) {
  looked_for_device_ = now;
  if (!database_.device_stat.empty()) {
    const std::filesystem::path stat = database_.device_stat;
    use({"file:" + stat.parent_path().filename().string(), database_.device_stat, ""});
    return;
  }
  const Result<FoundDevice> found = find_by_path();
  if (!found) {
    device_error_ = found.error().message;
    return;
  }
  use(*found);
  if (is_nvme_namespace(found->name)) {
    nvme_.emplace("/dev/" + found->name, roots_.read_nvme, roots_.run_nvme);
  }
}

// Whether the process is known to see other mounts than we do.
bool MachineSource::other_mounts() const {
  std::error_code own_error, error;
  const std::string process = std::to_string(database_.pid);
  const auto own = std::filesystem::read_symlink(roots_.proc + "/self/ns/mnt", own_error);
  const auto its = std::filesystem::read_symlink(roots_.proc + "/" + process + "/ns/mnt", error);
  return !own_error && !error && own != its;
}

// In a container the path may be another one's here: what the process sees goes first.
Result<FoundDevice> MachineSource::find_by_path() const {
  const auto find_as = [this](const std::string& process) {
    return find_device(database_.path, roots_.proc, roots_.sys, device_of_path, process);
  };
  if (database_.pid <= 0) return find_as("self");
  const std::string process = std::to_string(database_.pid);
  const bool others_first = other_mounts();
  Result<FoundDevice> found = find_as(others_first ? process : "self");
  if (found) return found;
  Result<FoundDevice> other = find_as(others_first ? "self" : process);
  return other ? other : found;
}

// Databases on one emulated device read the same file by different names.
void MachineSource::use(FoundDevice found) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(found.stat_file, error);
  device_key_ = error ? found.stat_file : real.string();
  device_error_.clear();
  device_.emplace(std::move(found));
}

void MachineSource::read(Sample& sample) {
  if (!device_ && sample.at.tick - looked_for_device_ >= kLookAgain) find(sample.at.tick);
  std::string device_error = device_error_;
  if (device_) {
    Result<DeviceReading> reading = device_->read();
    if (reading) {
      sample.device = *std::move(reading);
    } else {
      device_error = reading.error().message;
    }
  }
  sample.health.push_back({"device", device_error});
  if (nvme_) {
    NvmeHealth::Read health = nvme_->read(sample.at.tick);
    sample.nvme = health.reading;
    sample.health.push_back({"nvme", std::move(health.error)});
  }
  const std::string number = device_ ? device_->device().number : std::string();
  const HostRead& host =
      roots_.host->read(sample.at.tick, roots_.proc, roots_.sys, database_.pid, number);
  sample.health.push_back({"host", joined(host.errors)});
  sample.host = host.reading;
}

std::string MachineSource::device_name() const {
  return device_ ? device_->device().name : std::string();
}

}  // namespace rocktune::daemon
