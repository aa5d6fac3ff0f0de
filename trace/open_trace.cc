#include "trace/open_trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "trace/checked_pages.h"
#include "trace/schema.h"

namespace rocktune::trace {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr int kReaderBusyTimeoutMs = 2000;

bool has_content(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

// What the operating system said.
Error cannot_open(int error) {
  const std::string text = std::generic_category().message(error);
  if (error == ENOENT) return {ErrorCode::kNotFound, text + "; give the path of a trace file"};
  if (error == EACCES) return {ErrorCode::kPermission, text + "; you may not read it"};
  return {ErrorCode::kIo, text};
}

Error newer_schema(std::int64_t version) {
  return {ErrorCode::kUnsupported, "was written by a newer rocktune (schema " +
                                       std::to_string(version) + ", this one reads " +
                                       std::to_string(kSchemaVersion) + "); update rocktune"};
}

// Of SQLite's header (https://www.sqlite.org/fileformat.html).
std::uint32_t in_header(const std::string& head, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    value = value << 8 | static_cast<unsigned char>(head[i]);
  return value;
}

// Before any page is looked at: a newer schema may check its pages in another way.
Result<void> check_version(const std::string& head) {
  const std::int64_t version = in_header(head, 60);
  const bool trace = in_header(head, 68) == static_cast<std::uint32_t>(kApplicationId);
  if (trace && version > kSchemaVersion) return tl::unexpected(newer_schema(version));
  return {};
}

Result<void> check_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return tl::unexpected(cannot_open(errno));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kCorrupt, "is no regular file; give the path of a trace file");
  }
  if (status.st_size == 0) return fail(ErrorCode::kCorrupt, "is empty: it is no trace");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return tl::unexpected(cannot_open(errno != 0 ? errno : EACCES));
  std::string head(100, '\0');  // all of SQLite's
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!head.starts_with(kMagic)) {
    return fail(ErrorCode::kCorrupt, "is no trace: it is not an SQLite file at all");
  }
  if (auto done = check_version(head); !done) return done;
  // SQLite itself forgives a last page that is cut; 1 stands for 65536.
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
  const std::int64_t page = std::max(byte(16) << 8 | byte(17), 1);
  if (!has_content(path + "-wal") && status.st_size % (page == 1 ? 65536 : page) != 0) {
    return fail(ErrorCode::kCorrupt, "is cut short: its last page is not whole");
  }
  return {};
}

std::string as_uri(const std::string& path, bool immutable) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  // With an authority, if an empty one: what follows "//" would be taken for it otherwise.
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%' || byte < 0x20 || byte >= 0x7f) {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      uri += c;
    }
  }
  return uri + (immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

Result<void> check_schema(Connection& connection) {
  const auto application = connection.number("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  if (*application != kApplicationId) {
    return fail(ErrorCode::kCorrupt,
                "is no trace: an SQLite file, but not written by rocktune (or cut short)");
  }
  const auto version = connection.number("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  if (*version > kSchemaVersion) return tl::unexpected(newer_schema(*version));
  if (*version < 1) {
    return fail(ErrorCode::kCorrupt, "is no complete trace: it ends before its schema");
  }
  if (has_page_checks(connection.handle()) != (*version >= kChecksSince)) {
    return fail(ErrorCode::kCorrupt, "is damaged: its header contradicts itself");
  }
  return {};
}

Result<Connection> open_checked(const std::string& path) {
  if (auto done = check_file(path); !done) return tl::unexpected(done.error());
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  const bool writable = ::access(directory.c_str(), W_OK) == 0;
  const bool has_wal = has_content(path + "-wal");
  // In a directory that cannot be written there is no place for the WAL's index; a file without a
  // WAL needs none.
  auto connection =
      Connection::open(as_uri(path, !writable && !has_wal), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (!connection) return connection;
  sqlite3_busy_timeout(connection->handle(), kReaderBusyTimeoutMs);
  if (auto done = connection->run("BEGIN; SELECT count(*) FROM sqlite_schema"); !done) {
    if (!writable && has_wal && done.error().code != ErrorCode::kCorrupt) {
      return fail(ErrorCode::kPermission,
                  "its -wal file cannot be read in a directory that cannot be written; copy both "
                  "files to another directory, and open the copy");
    }
    return tl::unexpected(done.error());
  }
  if (auto done = check_schema(*connection); !done) return tl::unexpected(done.error());
  return connection;
}

}  // namespace

Result<Connection> open_trace(const std::string& path) {
  auto connection = open_checked(path);
  if (!connection) return tl::unexpected(connection.error().within("trace " + path));
  return connection;
}

}  // namespace rocktune::trace
