#include "tools/output_file.h"

#include <filesystem>

namespace rocktune::tools {

Result<void> check_output(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code unknown;  // then they are not the same
    if (!std::filesystem::equivalent(output, input, unknown)) continue;
    return fail(ErrorCode::kInvalidArgument,
                output + " would be written over, and it is what is read (" + input +
                    "); give another --output");
  }
  return {};
}

}  // namespace rocktune::tools
