#include "bench/trial/loaded_database.h"

#include <filesystem>
#include <fstream>

#include "bench/cli/stop.h"
#include "bench/text_file.h"
#include "bench/trial/digest.h"
#include "bench/trial/load_key.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

// Written last: it says that the load is complete, and of what.
constexpr const char* kMark = "/loaded.key";
constexpr const char* kDatabase = "/db";

bool is_complete(const std::string& directory, const std::string& key) {
  const auto mark = read_text_file(directory + kMark);
  return mark && *mark == key;
}

Result<void> start_empty(const std::string& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  if (!error) fs::create_directories(directory, error);
  if (error) return fail(ErrorCode::kIo, directory + ": cannot be created: " + error.message());
  return {};
}

Result<void> write_mark(const std::string& directory, const std::string& key) {
  const std::string path = directory + kMark;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << key;
  if (!out.flush()) return fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

}  // namespace

Result<std::optional<std::string>> loaded_database(const TrialSubject& subject,
                                                   const std::string& work,
                                                   const Watcher& watcher) {
  const auto key = load_key(subject);
  if (!key) return tl::unexpected(key.error());
  const std::string directory = work + "/loaded-" + digest(*key);
  std::string database = directory + kDatabase;
  if (is_complete(directory, *key)) return database;
  if (auto empty = start_empty(directory); !empty) return tl::unexpected(empty.error());
  const std::string log = directory + "/load.log";
  auto child = Child::start({load_arguments(subject, database), {}, log});
  if (!child) return tl::unexpected(child.error());
  const auto watched = watch_child(*child, "the load", log, watcher);
  if (!watched) return tl::unexpected(watched.error());
  // A child that was stopped leaves a part of the records, and half a database is of no use.
  if (*watched == Watched::kStopped || stop_requested()) {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    return std::optional<std::string>();
  }
  if (auto marked = write_mark(directory, *key); !marked) return tl::unexpected(marked.error());
  return database;
}

}  // namespace rocktune::bench
