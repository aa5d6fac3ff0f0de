#include "trace/rocksdb_log/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace rocktune::trace::rocksdb_log {
namespace {

Error exists_already(const std::string& path) {
  return {ErrorCode::kConflict, path + " exists already; name another file, or add --force"};
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string temporary, bool replace)
    : path_(std::move(path)), temporary_(std::move(temporary)), replace_(replace) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replace_(other.replace_) {}

OutputFile::~OutputFile() {
  remove();
}

void OutputFile::remove() const {
  if (temporary_.empty()) return;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    ::unlink((temporary_ + suffix).c_str());
  }
}

Result<OutputFile> OutputFile::prepare(const std::string& path, bool replace) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (fs::is_directory(status)) {
    return fail(ErrorCode::kInvalidArgument, path + " is a directory; name the trace's file");
  }
  if (!replace && fs::exists(status)) return tl::unexpected(exists_already(path));
  const fs::path place(path);
  const std::string name =
      "." + place.filename().string() + ".importing-" + std::to_string(::getpid());
  OutputFile file(path, (place.parent_path() / name).string(), replace);
  file.remove();  // of a process with the same number that was killed
  return file;
}

Result<void> OutputFile::place() {
  if (!replace_ && ::link(temporary_.c_str(), path_.c_str()) != 0) {
    if (errno == EEXIST) return tl::unexpected(exists_already(path_));
    replace_ = true;  // this file system has no hard links
  }
  if (replace_ && std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return fail(ErrorCode::kIo,
                "cannot write " + path_ + ": " + std::generic_category().message(errno));
  }
  remove();
  temporary_.clear();
  return {};
}

}  // namespace rocktune::trace::rocksdb_log
