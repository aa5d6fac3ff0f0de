// Pages of an NVMe controller, made by hand from the specifications.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::daemon::test {

// Little-endian.
inline void put(std::string& page, std::size_t place, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) page[place + i] = static_cast<char>(value >> 8 * i);
}

inline std::string smart_page() {
  std::string page(512, '\0');
  put(page, 0, 2, 1);    // critical warning: temperature
  put(page, 1, 350, 2);  // 77 degrees Celsius
  put(page, 3, 99, 1);   // spare
  put(page, 4, 10, 1);   // its threshold
  put(page, 5, 104, 1);  // used
  put(page, 32, 0x0102030405060708, 8);
  put(page, 48, 1000, 8);  // units written: 512 MB
  put(page, 160, 3, 8);    // media errors
  put(page, 192, 11, 4);   // minutes above the warning temperature
  put(page, 196, 12, 4);
  put(page, 216, 5, 4);  // transitions into the two states of thermal management
  put(page, 220, 2, 4);
  put(page, 224, 40, 4);  // seconds in them
  put(page, 228, 50, 4);
  return page;
}

inline std::string ocp_page(std::uint64_t media_bytes) {
  std::string page(512, '\0');
  put(page, 0, media_bytes, 8);
  put(page, 496, 0xa4f2bfea2810afc5, 8);
  put(page, 504, 0xafd514c97c6f4f9c, 8);
  return page;
}

}  // namespace rocktune::daemon::test
