#include "daemon/sources/nvme_pages.h"

#include <array>

namespace rocktune::daemon {
namespace {

// The number that ends an OCP page, AFD514C97C6F4F9CA4F2BFEA2810AFC5, lowest byte first.
constexpr std::array<unsigned char, 16> kOcpGuid{0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
                                                 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
constexpr std::size_t kOcpGuidAt = 496;
// Hotter or colder is no drive's reading: 0 is "not reported" on some.
constexpr std::uint64_t kColdest = 200, kHottest = 500;  // kelvin

// Little-endian, up to 8 bytes.
std::uint64_t number_at(std::string_view page, std::size_t place, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(page[place + i]);
  }
  return value;
}

// Of the 16 bytes that the specification gives its counters, none that is true needs more than 8.
Counter counter_at(std::string_view page, std::size_t place) {
  if (number_at(page, place + 8, 8) != 0) return std::nullopt;
  return number_at(page, place, 8);
}

}  // namespace

Result<NvmeReading> parse_smart_page(std::string_view page) {
  if (page.size() != kNvmePageBytes) {
    return fail(ErrorCode::kCorrupt,
                "the health page has " + std::to_string(page.size()) + " bytes and not 512");
  }
  NvmeReading out;
  out.critical_warning = number_at(page, 0, 1);
  const std::uint64_t kelvin = number_at(page, 1, 2);
  if (kelvin >= kColdest && kelvin <= kHottest) out.temperature_kelvin = kelvin;
  out.spare_percent = number_at(page, 3, 1);
  out.used_percent = number_at(page, 5, 1);
  out.data_units_read = counter_at(page, 32);
  out.data_units_written = counter_at(page, 48);
  out.media_errors = counter_at(page, 160);
  out.warning_minutes = number_at(page, 192, 4);
  out.critical_minutes = number_at(page, 196, 4);
  out.throttle_count = number_at(page, 216, 4) + number_at(page, 220, 4);
  out.throttle_seconds = number_at(page, 224, 4) + number_at(page, 228, 4);
  return out;
}

std::optional<std::uint64_t> media_bytes_of_ocp_page(std::string_view page) {
  if (page.size() != kNvmePageBytes) return std::nullopt;
  for (std::size_t i = 0; i < kOcpGuid.size(); ++i) {
    if (static_cast<unsigned char>(page[kOcpGuidAt + i]) != kOcpGuid.at(i)) return std::nullopt;
  }
  return counter_at(page, 0);
}

}  // namespace rocktune::daemon
