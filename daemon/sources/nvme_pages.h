// The log pages of an NVMe controller that tell its health, from their bytes. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"
#include "model/sample.h"

namespace rocktune::daemon {

inline constexpr std::size_t kNvmePageBytes = 512;
enum class NvmePage : std::uint8_t {
  kSmart = 0x02,  // SMART / Health Information (NVM Express base specification)
  kOcp = 0xc0,    // SMART Cloud (OCP Datacenter NVMe SSD specification)
};

// Reads a page of the controller under a namespace's block device ("/dev/nvme0n1"): its 512 bytes.
// kPermission, kNotFound, kUnsupported: in one sentence that says what to do. May take as long as
// the kernel's timeout for such commands (a minute).
using ReadNvmePage = std::function<Result<std::string>(const std::string& device, NvmePage page)>;

// kCorrupt: not 512 bytes, or what no controller says.
Result<NvmeReading> parse_smart_page(std::string_view page);
// The bytes that the drive wrote to its flash; absent when the page is not the OCP's: vendors use
// the same number for pages of their own.
std::optional<std::uint64_t> media_bytes_of_ocp_page(std::string_view page);

}  // namespace rocktune::daemon
