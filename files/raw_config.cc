#include "files/raw_config.h"

namespace rocktune {

Result<RawConfig> parse_yaml(std::string_view text, const std::string& file) {
  auto root = parse_yaml_tree(text, file);
  if (!root) return tl::unexpected<Error>(root.error());
  return RawConfig{file, *std::move(root), {}};
}

}  // namespace rocktune
