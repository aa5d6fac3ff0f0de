#include "files/file_digest.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "model/digest.h"

namespace rocktune {

Result<std::string> file_digest(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string block(std::size_t{1} << 16, '\0'), sum;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    sum.append(block, 0, static_cast<std::size_t>(file.gcount()));
    sum = digest(sum);
  }
  if (file.eof()) return digest(sum);
  const int why = errno;
  const ErrorCode code = why == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return fail(code, path + ": cannot be read: " + std::generic_category().message(why));
}

}  // namespace rocktune
