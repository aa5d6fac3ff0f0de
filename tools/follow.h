// Reads the new lines of a file that grows, and survives its rotation: another file under its name
// (rename and reopen), or the same one cut to nothing (copytruncate). Of a pipe (/dev/stdin) what
// comes until its end. Keeps a block of it, however long it is. Not thread-safe.
#pragma once

#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

class FileFollower {
 public:
  static Result<FileFollower> open(const std::string& path);

  // The next whole lines, as many as are at hand; none: no more came since. A file that is gone,
  // for now, is no error.
  std::vector<std::string> read_lines();
  // What is left when nothing more will come: a last line without its newline.
  std::optional<std::string> rest();
  // All lines to the end, with the one that is left. Errors: read_to_end().
  Result<void> read_all(const std::function<void(const std::string&)>& use);
  // kIo where the disk failed at the last reading: there may be more.
  [[nodiscard]] Result<void> read_to_end() const;

 private:
  explicit FileFollower(std::string path) : path_(std::move(path)) {}
  bool reopen();
  void read_some(std::vector<std::string>& lines);

  std::string path_;
  std::ifstream file_;
  std::uint64_t device_ = 0, inode_ = 0;
  bool pipe_ = false;  // it has no name that another file may take, and no place to go back to
  std::uint64_t offset_ = 0;
  std::string partial_;
};

}  // namespace rocktune::tools
