#include "daemon/listed.h"

#include <algorithm>

namespace rocktune::daemon {

std::string listed(const std::vector<std::string>& names, const std::string& separator) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : separator) + names[i];
  }
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace rocktune::daemon
