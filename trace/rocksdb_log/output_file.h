// OutputFile: a file that appears at its place only when it is whole. Until place() it lies beside
// it under another name, and is removed, with SQLite's files, when this goes away - or by the next
// one for the same place, where the process was killed.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::trace::rocksdb_log {

class OutputFile {
 public:
  // Fails with kConflict when there is a file at `path` and it may not be replaced, and with
  // kInvalidArgument when it is no regular file or one of `sources`. `replace`: an empty file or a
  // rocktune trace may be, nothing else.
  static Result<OutputFile> prepare(const std::string& path, bool replace,
                                    std::vector<std::string> sources);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  // Fails as prepare() does, and with kIo where SQLite left a part of the file beside it.
  Result<void> place();

 private:
  OutputFile(std::string path, std::string temporary, bool replace,
             std::vector<std::string> sources);
  void remove() const;

  std::string path_, temporary_;  // temporary_ is empty once placed
  bool replace_ = false;
  std::vector<std::string> sources_;
};

}  // namespace rocktune::trace::rocksdb_log
