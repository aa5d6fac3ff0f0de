// FilePlace: whether a path still names the file that it named when this was made. The file may be
// open for long after somebody moved it away or removed it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace rocktune::trace {

class FilePlace {
 public:
  explicit FilePlace(std::string path);

  enum class Now { kThere, kNone, kOther };
  // kNone: the path names no file; kOther: another one. What cannot be told is kThere.
  [[nodiscard]] Now look() const;

 private:
  std::string path_;
  std::optional<std::pair<dev_t, ino_t>> file_;
};

}  // namespace rocktune::trace
