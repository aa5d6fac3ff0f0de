#include "model/digest.h"

#include <cstdint>

namespace rocktune {

std::string digest(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : text) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3U;
  }
  std::string hex(16, '0');
  for (auto digit = hex.rbegin(); digit != hex.rend(); ++digit) {
    *digit = kDigits[hash & 15];
    hash >>= 4;
  }
  return hex;
}

}  // namespace rocktune
