// The whole text of a file, however large: what runs wrote, and what the kernel shows.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune::bench {

Result<std::string> read_text_file(const std::string& path);

}  // namespace rocktune::bench
