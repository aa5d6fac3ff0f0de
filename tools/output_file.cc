#include "tools/output_file.h"

#include <algorithm>
#include <filesystem>

#include "files/replace_file.h"

namespace rocktune::tools {

Result<void> check_output(const std::string& output, const std::vector<std::string>& inputs) {
  const auto same = [&](const std::string& input) {
    std::error_code unknown;  // then they are not the same
    return std::filesystem::equivalent(output, input, unknown) ||
           std::filesystem::equivalent(output + kBeside, input, unknown);
  };
  const auto found = std::find_if(inputs.begin(), inputs.end(), same);
  if (found == inputs.end()) return {};
  return fail(ErrorCode::kInvalidArgument, output +
                                               " would be written over, and it is what is read (" +
                                               *found + "); give another --output");
}

}  // namespace rocktune::tools
