#include "tools/sweep_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "files/replace_file.h"
#include "files/text_file.h"

namespace rocktune::tools {
namespace {

constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();

tl::unexpected<Error> file_error(const std::string& path, const char* what) {
  return fail(ErrorCode::kIo, path + ": " + what + ": " + std::generic_category().message(errno));
}

std::string partial_of(const std::string& result) {
  return result + ".partial";
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
      keys_(std::move(other.keys_)),
      lines_(std::move(other.lines_)),
      partial_(std::exchange(other.partial_, -1)) {}

Result<SweepFile> SweepFile::open(const std::string& result, Keys keys, bool fresh) {
  SweepFile file(result, std::move(keys));
  if (auto opened = file.open_partial(); !opened) return tl::unexpected(opened.error());
  if (fresh) {
    // Or what is begun now could not be gone on with beside it.
    if (::unlink(result.c_str()) != 0 && errno != ENOENT) {
      return file_error(result, "cannot be removed");
    }
  } else {
    const auto before = read_text_file(result, kAnySize);
    if (!before && before.error().code != ErrorCode::kNotFound) {
      return tl::unexpected(before.error());
    }
    if (before) {
      if (auto taken = file.take_over(result, *before); !taken) {
        return tl::unexpected(taken.error());
      }
    }
  }
  if (auto taken = file.take_over_partial(fresh); !taken) return tl::unexpected(taken.error());
  return file;
}

Result<void> SweepFile::open_partial() {
  const std::string path = partial_of(result_);
  partial_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (partial_ < 0) return file_error(path, "cannot be written");
  if (::flock(partial_, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return file_error(path, "cannot be locked");
  return fail(ErrorCode::kConflict,
              path + " is being written by another sweep; wait for its end, or give another -o");
}

Result<void> SweepFile::take_over(const std::string& path, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    begin = end == std::string::npos ? text.size() : end + 1;
    ++count;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    const bool sound =
        json.is_object() && json.value("unit", nlohmann::json()).is_number_unsigned();
    const auto key = sound ? keys_.find(json["unit"].get<std::size_t>()) : keys_.end();
    if (key == keys_.end() || json.value("key", nlohmann::json()) != key->second) {
      return fail(ErrorCode::kConflict,
                  path + ":" + std::to_string(count) +
                      ": this is of another sweep (other grid, traces, units or release of "
                      "rocktune); give another -o, or --fresh to replace it");
    }
    lines_[key->first] = std::move(line);
  }
  return {};
}

// Drops a line that was not written to its end.
Result<void> SweepFile::take_over_partial(bool fresh) {
  const std::string path = partial_of(result_);
  std::string text;
  if (!fresh) {
    auto read = read_text_file(path, kAnySize);
    if (!read) return tl::unexpected(read.error());
    text = *std::move(read);
  }
  const std::size_t end = text.rfind('\n');
  text.resize(end == std::string::npos ? 0 : end + 1);
  if (auto taken = take_over(path, text); !taken) return taken;
  if (::ftruncate(partial_, static_cast<off_t>(text.size())) != 0) {
    return file_error(path, "cannot be cut");
  }
  return {};
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
