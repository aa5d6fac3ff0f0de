#include "bench/demo/clone.h"

#include <filesystem>

namespace rocktune::bench {

Result<void> clone_database(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::create_directory(to, error)) {
    return fail(ErrorCode::kIo, to + ": cannot be created: " +
                                    (error ? error.message() : std::string("it exists")));
  }
  for (fs::directory_iterator entry(from, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path target = fs::path(to) / entry->path().filename();
    if (!entry->is_regular_file(error)) continue;
    if (entry->path().extension() == ".sst") {
      fs::create_hard_link(entry->path(), target, error);
    } else {
      fs::copy_file(entry->path(), target, error);
    }
    if (error) return fail(ErrorCode::kIo, target.string() + ": " + error.message());
  }
  if (error) return fail(ErrorCode::kIo, from + ": cannot be read: " + error.message());
  return {};
}

}  // namespace rocktune::bench
