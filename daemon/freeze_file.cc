#include "daemon/freeze_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "files/make_way.h"
#include "files/peer_process.h"
#include "files/replace_file.h"
#include "files/text_file.h"
#include "model/text.h"
#include "trace/journal_json.h"

namespace rocktune::daemon {
namespace {

constexpr std::string_view kUntil = "until ";
constexpr std::size_t kMostFreezeBytes = 4096;

std::optional<Nanoseconds> end_of(std::string_view text) {
  if (!text.starts_with(kUntil)) return std::nullopt;
  text.remove_prefix(kUntil.size());
  while (text.ends_with('\n')) text.remove_suffix(1);
  return trace::parse_rfc3339(text);
}

// An end may be thousands of years away, and is put on a tick.
Nanoseconds left_of(Nanoseconds until, Nanoseconds wall) {
  constexpr Nanoseconds kMost = std::chrono::hours(100 * 365 * 24);
  return std::clamp(until - wall, Nanoseconds{0}, kMost);
}

}  // namespace

std::optional<Nanoseconds> Freeze::ends(const Instant& now) const {
  constexpr Nanoseconds kSlewed = std::chrono::seconds(1);  // between two clocks that go alike
  if (!until || !not_before) return until;
  const Nanoseconds later = now.wall + (*not_before - now.tick);
  return later - *until > kSlewed ? later : until;
}

Freeze read_freeze_file(const std::string& path, const Instant& now, const Freeze* last) {
  const Freeze before = last != nullptr ? *last : Freeze();
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    const int why = errno;
    if (why == ENOENT || why == ENOTDIR) return {};
    return {before.frozen, before.until, false,
            "cannot look for " + path + ": " + std::strerror(why) +
                (before.frozen ? ": it still counts as there" : ""),
            before.not_before};
  }
  if (!is_trusted(info.st_uid)) {
    return {false, std::nullopt, false,
            path + " belongs to uid " + std::to_string(info.st_uid) +
                ", who may not freeze rocktuned: it is not heeded"};
  }
  // What cannot be read is there all the same.
  const Result<std::string> text = read_text_file(path, kMostFreezeBytes);
  Freeze freeze{true, text ? end_of(*text) : std::nullopt, false, ""};
  if (!freeze.until) return freeze;
  const bool comes = last != nullptr && before.until != freeze.until;
  freeze.not_before = comes ? now.tick + left_of(*freeze.until, now.wall) : before.not_before;
  if (now.wall < *freeze.until || now.tick < freeze.not_before.value_or(now.tick)) return freeze;
  return {false, std::nullopt, true, ""};
}

Result<void> write_freeze_file(const std::string& path, std::optional<Nanoseconds> until) {
  constexpr int kTries = 5;  // somebody may put it there again
  const std::string text = until ? std::string(kUntil) + text::rfc3339(*until) + "\n" : "";
  Result<void> written;
  for (int i = 0; i < kTries; ++i) {
    make_way(path);
    // The one thread that samples databases waits for no disk.
    written = replace_file(path, text, Sync::kNo);
    if (written) break;
  }
  return written;
}

Result<void> remove_freeze_file(const std::string& path) {
  make_way(path);
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  const ErrorCode code =
      errno == EACCES || errno == EPERM ? ErrorCode::kPermission : ErrorCode::kIo;
  return fail(code, "cannot remove " + path + ": " + std::strerror(errno));
}

}  // namespace rocktune::daemon
