#include "files/printable.h"

namespace rocktune {

std::string printable(std::string_view text) {
  constexpr char kC1 = '\xc2';  // begins U+0080 to U+00BF; those below U+00A0 are controls, too
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool c1 =
        text[i] == kC1 && i + 1 < text.size() && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0;
    const bool c0 = byte(i) < 0x20 || byte(i) == 0x7f;
    clean += c0 || c1 ? '?' : text[i];
    if (c1) ++i;
  }
  return clean;
}

}  // namespace rocktune
