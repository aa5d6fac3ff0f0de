#include "tools/follow.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace rocktune::tools {
namespace {

// As logrotate leaves older logs: what prints it, by its first bytes; empty: it is not compressed.
std::string_view decompressor_of(std::istream& file) {
  std::array<char, 4> head{};
  file.read(head.data(), head.size());
  const std::string_view bytes(head.data(), static_cast<std::size_t>(file.gcount()));
  file.clear();
  if (bytes.starts_with("\x1f\x8b")) return "zcat";
  if (bytes.starts_with("\xfd\x37zX")) return "xzcat";
  return bytes.starts_with("\x28\xb5\x2f\xfd") ? "zstdcat" : "";
}

}  // namespace

Result<FileFollower> FileFollower::open(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                path + ": " + std::generic_category().message(errno) +
                    "; `rocktune status` says where the alert log is");
  }
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    return fail(ErrorCode::kInvalidArgument,
                path + ": is " + (S_ISDIR(status.st_mode) ? "a directory" : "no file") +
                    "; give the alert log's file");
  }
  FileFollower follower(path);
  if (!follower.reopen()) {
    return fail(ErrorCode::kPermission, path + ": cannot be read; check its permissions");
  }
  if (follower.pipe_) return follower;
  if (const std::string tool(decompressor_of(follower.file_)); !tool.empty()) {
    return fail(ErrorCode::kInvalidArgument, path + ": is compressed; pipe what `" + tool +
                                                 "` makes of it to this command, and give "
                                                 "/dev/stdin for the log");
  }
  return follower;
}

bool FileFollower::reopen() {
  std::ifstream file(path_, std::ios::binary);
  struct stat status{};
  if (!file || ::stat(path_.c_str(), &status) != 0) return false;
  file_ = std::move(file);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  pipe_ = S_ISFIFO(status.st_mode);
  offset_ = 0;
  partial_.clear();
  return true;
}

void FileFollower::read_some(std::vector<std::string>& lines) {
  std::array<char, 65536> block;
  file_.clear();
  if (!pipe_) file_.seekg(static_cast<std::streamoff>(offset_));
  // What a pipe has by now: it may be long until a block is full.
  while (lines.empty() && file_.peek() != std::ifstream::traits_type::eof()) {
    const auto size = static_cast<std::size_t>(file_.readsome(block.data(), block.size()));
    const std::size_t before = partial_.size();
    std::size_t begin = 0;
    offset_ += size;
    partial_.append(block.data(), size);
    for (std::size_t end = partial_.find('\n', before); end != std::string::npos;
         end = partial_.find('\n', begin)) {
      lines.push_back(partial_.substr(begin, end - begin));
      begin = end + 1;
    }
    partial_.erase(0, begin);
  }
}

std::vector<std::string> FileFollower::read_lines() {
  std::vector<std::string> lines;
  if (pipe_) {
    read_some(lines);
    return lines;
  }
  struct stat status{};
  const bool there = ::stat(path_.c_str(), &status) == 0;
  const bool same = there && status.st_dev == device_ && status.st_ino == inode_;
  if (same && static_cast<std::uint64_t>(status.st_size) < offset_) {
    offset_ = 0;  // cut to nothing, and written anew
    partial_.clear();
  }
  read_some(lines);
  if (!lines.empty() || !there || same) return lines;
  if (auto last = rest()) lines.push_back(std::move(*last));
  if (reopen()) read_some(lines);
  return lines;
}

Result<void> FileFollower::read_all(const std::function<void(const std::string&)>& use) {
  for (auto lines = read_lines(); !lines.empty(); lines = read_lines()) {
    for (const std::string& line : lines) use(line);
  }
  if (const auto last = rest()) use(*last);
  return read_to_end();
}

Result<void> FileFollower::read_to_end() const {
  if (!file_.bad()) return {};
  return fail(ErrorCode::kIo, path_ + ": cannot be read to its end; the kernel's log says why");
}

std::optional<std::string> FileFollower::rest() {
  if (partial_.empty()) return std::nullopt;
  return std::exchange(partial_, std::string());
}

}  // namespace rocktune::tools
