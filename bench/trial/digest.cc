#include "bench/trial/digest.h"

#include "bench/text_file.h"

namespace rocktune::bench {

Result<std::string> digest_of_file(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return digest(*text);
}

}  // namespace rocktune::bench
