#include "tools/sweep_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "files/replace_file.h"
#include "files/text_file.h"
#include "trace/json_text.h"

namespace rocktune::tools {
namespace {

constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();

tl::unexpected<Error> file_error(const std::string& path, const char* what) {
  return fail(ErrorCode::kIo, path + ": " + what + ": " + std::generic_category().message(errno));
}

// Every line of a sweep begins so, whatever its schema's number.
constexpr std::string_view kSweepLineHead = R"({"schema":"rocktune-sweep/)";

// Nothing else is ever written over or removed. A line that was cut off may be shorter.
Result<void> check_lines(const std::string& path, std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool cut_off = end == text.npos && kSweepLineHead.starts_with(line);
    if (!line.starts_with(kSweepLineHead) && !cut_off) {
      return fail(ErrorCode::kConflict,
                  path + ":" + std::to_string(number) +
                      ": this is no result of rocktune sweep, and stays as it is; give another -o");
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return {};
}

// What a file of a sweep has; nothing where there is none.
Result<std::string> read_lines(const std::string& path) {
  auto text = read_text_file(path, kAnySize);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::string();
  if (!text) return text;
  if (auto checked = check_lines(path, *text); !checked) return tl::unexpected(checked.error());
  return text;
}

Result<void> lock_file(int file, const std::string& path) {
  struct stat info{};
  if (::fstat(file, &info) != 0) return file_error(path, "cannot be looked at");
  if (!S_ISREG(info.st_mode)) return fail(ErrorCode::kIo, path + ": is no regular file");
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return file_error(path, "cannot be locked");
  return fail(ErrorCode::kConflict,
              path + " is being written by another sweep; wait for its end, or give another -o");
}

}  // namespace

SweepFile::~SweepFile() {
  if (partial_ < 0) return;
  struct stat info{};
  const bool empty = ::fstat(partial_, &info) == 0 && info.st_size == 0;
  if (empty) ::unlink(partial_of(result_).c_str());  // nothing to go on from
  ::close(partial_);
}

SweepFile::SweepFile(SweepFile&& other) noexcept
    : result_(std::move(other.result_)),
      units_(std::move(other.units_)),
      lines_(std::move(other.lines_)),
      partial_(std::exchange(other.partial_, -1)) {}

Result<SweepFile> SweepFile::open(const std::string& result, Units units, Before before) {
  SweepFile file(result, std::move(units));
  if (auto opened = file.open_partial(); !opened) return tl::unexpected(opened.error());
  const auto whole = read_lines(result);
  if (!whole) return tl::unexpected(whole.error());
  auto partial = read_lines(partial_of(result));
  if (!partial) return tl::unexpected(partial.error());
  const bool failed_too = before == Before::kKeepAll;
  if (before == Before::kRemove) {
    // Or what is begun now could not be gone on with beside it.
    if (::unlink(result.c_str()) != 0 && errno != ENOENT) {
      return file_error(result, "cannot be removed");
    }
    partial->clear();
  } else if (auto taken = file.take_over(result, *whole, failed_too); !taken) {
    return tl::unexpected(taken.error());
  }
  const std::size_t end = partial->rfind('\n');  // a line beyond it was not written to its end
  partial->resize(end == std::string::npos ? 0 : end + 1);
  if (auto taken = file.take_over(partial_of(result), *partial, failed_too); !taken) {
    return tl::unexpected(taken.error());
  }
  if (auto cut = file.cut_partial(partial->size()); !cut) return tl::unexpected(cut.error());
  return file;
}

Result<void> SweepFile::open_partial() {
  const std::string path = partial_of(result_);
  partial_ =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (partial_ < 0) return file_error(path, "cannot be written");
  auto locked = lock_file(partial_, path);
  if (!locked) ::close(std::exchange(partial_, -1));  // it is another's
  return locked;
}

Result<void> SweepFile::take_over(const std::string& path, const std::string& text,
                                  bool failed_too) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    begin = end == std::string::npos ? text.size() : end + 1;
    ++count;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    const bool sound = json.is_object() &&
                       json.value("unit", nlohmann::json()).is_number_unsigned() &&
                       json.contains("error");  // without it, it is listed only
    const auto unit = sound ? units_.find(json["unit"].get<std::size_t>()) : units_.end();
    if (unit == units_.end() || json.value("key", nlohmann::json()) != unit->second.key) {
      return fail(ErrorCode::kConflict,
                  path + ":" + std::to_string(count) +
                      ": this is of another sweep (other grid, traces, units or build of "
                      "rocktune); give another -o, or --fresh to replace it");
    }
    // Its databases would be others than those of the lines to come. A name that is no UTF-8 is
    // compared as it was written.
    if (json.value("trace", nlohmann::json()).dump() != trace::json_text(unit->second.trace)) {
      return fail(ErrorCode::kConflict,
                  path + ":" + std::to_string(count) + ": trace " + unit->second.trace +
                      " was called otherwise, since the traces lay otherwise to each other; put "
                      "them back, give another -o, or --fresh to replace it");
    }
    if (failed_too || json["error"].is_null()) lines_[unit->first] = std::move(line);
  }
  return {};
}

Result<void> SweepFile::cut_partial(std::size_t bytes) {
  if (::ftruncate(partial_, static_cast<off_t>(bytes)) == 0) return {};
  return file_error(partial_of(result_), "cannot be cut");
}

Result<void> SweepFile::append(std::size_t number, const std::string& line) {
  const std::string whole = line + "\n";
  for (std::size_t done = 0; done < whole.size();) {
    const ssize_t wrote = ::write(partial_, whole.data() + done, whole.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return file_error(partial_of(result_), "cannot be written");
    done += static_cast<std::size_t>(wrote);
  }
  lines_[number] = line;
  return {};
}

Result<void> SweepFile::finish() {
  std::string text;
  for (const auto& [number, line] : lines_) text += line + "\n";
  if (auto replaced = replace_file(result_, text); !replaced) return replaced;
  const std::string path = partial_of(result_);
  if (::unlink(path.c_str()) != 0) return file_error(path, "cannot be removed");
  ::close(std::exchange(partial_, -1));
  return {};
}

std::vector<std::string> SweepFile::lines() const {
  std::vector<std::string> out;
  out.reserve(lines_.size());
  for (const auto& [number, line] : lines_) out.push_back(line);
  return out;
}

}  // namespace rocktune::tools
