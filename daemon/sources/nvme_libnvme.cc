// libnvme_reader(), where libnvme was there when this was built.
#include <fcntl.h>
#include <libnvme.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "daemon/sources/nvme_health.h"

namespace rocktune::daemon {
namespace {

class OpenDevice {
 public:
  explicit OpenDevice(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenDevice() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

Error system_says(const std::string& device, int number) {
  if (number == EACCES || number == EPERM) {
    return {ErrorCode::kPermission,
            device +
                ": its health needs CAP_SYS_ADMIN and read access to the device (run rocktuned as "
                "root, with CAP_SYS_ADMIN in its unit's CapabilityBoundingSet)"};
  }
  return {number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          device + ": " + std::generic_category().message(number)};
}

Result<std::string> read_page(const std::string& device, NvmePage page) {
  const OpenDevice open(device);
  if (open.fd() < 0) return tl::unexpected(system_says(device, errno));
  std::array<char, kNvmePageBytes> bytes{};
  errno = 0;
  const int status =
      nvme_get_nsid_log(open.fd(), true, static_cast<nvme_cmd_get_log_lid>(page), NVME_NSID_ALL,
                        static_cast<__u32>(bytes.size()), bytes.data());
  if (status < 0) return tl::unexpected(system_says(device, errno));
  if (status > 0) {
    return fail(ErrorCode::kUnsupported, device + ": the controller refuses its health page: " +
                                             nvme_status_to_string(status, false));
  }
  return std::string(bytes.data(), bytes.size());
}

}  // namespace

ReadNvmePage libnvme_reader() {
  return read_page;
}

}  // namespace rocktune::daemon
