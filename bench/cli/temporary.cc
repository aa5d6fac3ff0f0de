#include "bench/cli/temporary.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace rocktune::bench {

Result<TemporaryDirectory> TemporaryDirectory::create(const std::string& prefix) {
  std::error_code error;
  const auto base = std::filesystem::temp_directory_path(error);
  if (error) return fail(ErrorCode::kIo, "no temporary directory: " + error.message());
  std::string path = (base / (prefix + ".XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    return fail(ErrorCode::kIo, path + ": cannot be created: " + std::strerror(errno));
  }
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, "")), kept_(other.kept_) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, "");
    kept_ = other.kept_;
  }
  return *this;
}

void TemporaryDirectory::remove() {
  if (path_.empty() || kept_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

TemporaryDirectory::~TemporaryDirectory() {
  remove();
}

}  // namespace rocktune::bench
