#include "trace/rocksdb_log/log_files.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "trace/rocksdb_log/log_line.h"

namespace rocktune::trace::rocksdb_log {
namespace {

namespace fs = std::filesystem;

struct LogName {
  std::string prefix;       // "" or "home_db_": whose LOG it is
  std::uint64_t order = 0;  // of LOG.old.<order>; the newest, LOG itself, comes last
};

// The parts of a LOG's file name; nullopt when it is another file's.
std::optional<LogName> parse_log_name(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  LogName parts;
  parts.order = std::numeric_limits<std::uint64_t>::max();
  const std::string_view old = ".old.";
  if (const auto at = name.rfind(old); at != std::string_view::npos) {
    std::string_view digits = name.substr(at + old.size());
    const auto order = take_number(digits);
    if (!order || !digits.empty()) return std::nullopt;
    parts.order = *order;
    name = name.substr(0, at);
  }
  if (name != "LOG" && !name.ends_with("_LOG")) return std::nullopt;
  parts.prefix = std::string(name.substr(0, name.size() - 3));
  return parts;
}

std::uint64_t size_of(const fs::path& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

// Plain and compressed copies of one file are one entry: the plain one.
using Ordered = std::map<std::uint64_t, LogFile>;

void add(Ordered& files, std::uint64_t order, const fs::path& path) {
  const auto [entry, added] = files.try_emplace(order, LogFile{path.string(), size_of(path)});
  if (!added && path.extension() != ".gz") entry->second = {path.string(), size_of(path)};
}

Result<std::map<std::string, Ordered>> scan(const std::string& directory) {
  std::map<std::string, Ordered> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    const auto name = parse_log_name(entry->path().filename().string());
    if (name) add(found[name->prefix], name->order, entry->path());
  }
  if (error) {
    return fail(error == std::errc::permission_denied ? ErrorCode::kPermission : ErrorCode::kIo,
                directory + " cannot be listed: " + error.message());
  }
  return found;
}

}  // namespace

Result<std::vector<LogFile>> find_log_files(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) {
    return fail(ErrorCode::kNotFound,
                path + " does not exist; name a database's directory, or a LOG file");
  }
  if (!fs::is_directory(status)) return std::vector<LogFile>{{path, size_of(path)}};
  const auto found = scan(path);
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) {
    return fail(ErrorCode::kNotFound,
                path +
                    " holds no LOG, LOG.old.* or their .gz; name a database's directory, its "
                    "db_log_dir, or a LOG file");
  }
  if (found->size() > 1) {
    return fail(ErrorCode::kInvalidArgument, path + " holds the LOGs of several databases (" +
                                                 found->begin()->first + "LOG and " +
                                                 found->rbegin()->first + "LOG); name one file");
  }
  std::vector<LogFile> files;
  for (const auto& [order, file] : found->begin()->second) files.push_back(file);
  return files;
}

}  // namespace rocktune::trace::rocksdb_log
