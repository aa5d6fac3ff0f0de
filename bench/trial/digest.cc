#include "bench/trial/digest.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "bench/config/located_yaml.h"

namespace rocktune::bench {

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : text) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3U;
  }
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016" PRIx64, hash);
  return hex;
}

Result<std::string> digest_of_file(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return digest(*text);
}

}  // namespace rocktune::bench
