// What the daemon's tests share: a directory that goes away, and files in it.
#pragma once

#include <filesystem>
#include <string>

namespace rocktune::daemon::test {

class TempTree {
 public:
  TempTree();
  ~TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  // Writes a file below the root, with its directories; returns its path.
  std::string file(const std::string& name, const std::string& text) const;
  std::string directory(const std::string& name) const;
  void link(const std::string& name, const std::string& to) const;
  [[nodiscard]] std::string path(const std::string& name = "") const;

 private:
  std::filesystem::path root_;
};

}  // namespace rocktune::daemon::test
