#include "bench/text_file.h"

#include <fstream>
#include <sstream>

namespace rocktune::bench {

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, path + ": cannot be opened for reading");
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return fail(ErrorCode::kIo, path + ": cannot be read");
  return std::move(text).str();
}

}  // namespace rocktune::bench
