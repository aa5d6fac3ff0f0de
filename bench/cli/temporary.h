// A directory of our own under $TMPDIR (or /tmp), removed with everything in it unless kept.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune::bench {

class TemporaryDirectory {
 public:
  // "/tmp/<prefix>.XXXXXX"
  static Result<TemporaryDirectory> create(const std::string& prefix);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  void remove();
  std::string path_;
  bool kept_ = false;
};

}  // namespace rocktune::bench
