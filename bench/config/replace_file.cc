#include "bench/config/replace_file.h"

#include <filesystem>
#include <fstream>

namespace rocktune::bench {

Result<void> replace_file(const std::string& path, const std::string& text) {
  {
    std::ofstream out(path + ".new", std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) return fail(ErrorCode::kIo, path + ".new: cannot be written");
  }
  std::error_code error;
  std::filesystem::rename(path + ".new", path, error);
  if (error) return fail(ErrorCode::kIo, path + ": cannot be replaced: " + error.message());
  return {};
}

}  // namespace rocktune::bench
