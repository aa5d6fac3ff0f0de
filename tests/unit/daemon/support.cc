#include "tests/unit/daemon/support.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace rocktune::daemon::test {

namespace fs = std::filesystem;

TempTree::TempTree() {
  std::string name = (fs::temp_directory_path() / "rocktune-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  root_ = name;
}

TempTree::~TempTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string TempTree::file(const std::string& name, const std::string& text) const {
  const fs::path file = root_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
  return file.string();
}

std::string TempTree::directory(const std::string& name) const {
  fs::create_directories(root_ / name);
  return (root_ / name).string();
}

void TempTree::link(const std::string& name, const std::string& to) const {
  const fs::path link = root_ / name;
  fs::create_directories(link.parent_path());
  fs::create_symlink(to, link);
}

std::string TempTree::path(const std::string& name) const {
  return name.empty() ? root_.string() : (root_ / name).string();
}

}  // namespace rocktune::daemon::test
