#include "tools/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace rocktune::tools {

Result<void> check_output(const std::string& output, const std::vector<std::string>& inputs) {
  const auto same = [&](const std::string& input) {
    std::error_code unknown;  // then they are not the same
    return std::filesystem::equivalent(output, input, unknown);
  };
  const auto found = std::find_if(inputs.begin(), inputs.end(), same);
  if (found == inputs.end()) return {};
  return fail(ErrorCode::kInvalidArgument, output +
                                               " would be written over, and it is what is read (" +
                                               *found + "); give another name");
}

Result<void> check_new_output(const std::string& output, bool force) {
  std::error_code unknown;
  if (!force && std::filesystem::exists(std::filesystem::symlink_status(output, unknown))) {
    return fail(ErrorCode::kConflict, output + " exists: give --force to replace it");
  }
  if (std::filesystem::is_directory(output, unknown)) {
    return fail(ErrorCode::kInvalidArgument, output + " is a directory");
  }
  const std::string around = std::filesystem::path(output).parent_path().string();
  if (::access(around.empty() ? "." : around.c_str(), W_OK | X_OK) == 0) return {};
  return fail(ErrorCode::kIo,
              output + " cannot be written: " + std::generic_category().message(errno));
}

}  // namespace rocktune::tools
