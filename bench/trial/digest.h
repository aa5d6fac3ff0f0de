// The digest of model/digest.h, of files.
#pragma once

#include <string>

#include "model/digest.h"
#include "model/result.h"

namespace rocktune::bench {

Result<std::string> digest_of_file(const std::string& path);

}  // namespace rocktune::bench
