// Files that are never half written.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune::bench {

// `text` becomes what `path` holds, by way of PATH.new: whoever reads it, at any moment and after a
// kill, finds the old text or the new one.
Result<void> replace_file(const std::string& path, const std::string& text);

}  // namespace rocktune::bench
