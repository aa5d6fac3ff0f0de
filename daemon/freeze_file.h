// The freeze file: while it is there rocktuned changes nothing, whatever the mode. It outlives the
// daemon, and anybody may make it who could stop the daemon: `touch` is enough, `rocktune freeze`
// does it through the control socket.
//
// Empty, it holds until it is removed. With "until TIME" (RFC 3339, as rocktune writes it) it ends
// by itself then, and no sooner than what was left of its time when it came has passed: a wall
// clock that is set forward ends no freeze. What else it may hold counts as without an end. A file
// of another user than root and rocktuned's own freezes nothing: its directory may be writable by
// all.
#pragma once

#include <optional>
#include <string>

#include "model/clock.h"
#include "model/result.h"

namespace rocktune::daemon {

struct Freeze {
  bool frozen = false;
  std::optional<Nanoseconds> until;  // wall time; unset: until the file is removed
  bool expired = false;              // the file is there, and its time is over
  std::string problem;               // why a file is not heeded, or cannot be read; a sentence
  // Tick: not before. Unset without `until`, and where the file was there at the first look: then
  // the wall clock is all there is.
  std::optional<Nanoseconds> not_before = std::nullopt;

  // When it ends, as the wall clock goes now; unset: as `until`.
  [[nodiscard]] std::optional<Nanoseconds> ends(const Instant& now) const;
  bool operator==(const Freeze&) const = default;
};

// `last`: as it was; null at the first look. What cannot be looked for stays as it was.
Freeze read_freeze_file(const std::string& path, const Instant& now, const Freeze* last);
// Both take away what such a user put there. Errors: kPermission or kIo, with the path;
// kInvalidArgument where there is something else than a file.
Result<void> write_freeze_file(const std::string& path, std::optional<Nanoseconds> until);
Result<void> remove_freeze_file(const std::string& path);  // one that is not there is no error

}  // namespace rocktune::daemon
