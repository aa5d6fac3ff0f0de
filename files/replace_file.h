// Files that are never half written.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune {

// `text` becomes what `path` holds, by way of a file beside it (PATH, kBeside and a number that no
// other writer has): whoever reads it, at any moment, after a kill or a power failure, finds the
// old text or the new one, and of several who write it at once, in whatever process, the last wins.
// A new file is readable by all, as far as the umask lets it. A link gives way to the file,
// whatever it points at. Errors: kInvalidArgument where there is, or a link points at, what is no
// file (a device, a pipe, a directory, something of a process), else kPermission or kIo, with the
// path and the reason; the file beside it is gone then. What a killed writer left beside it goes
// with the next one. kNo: after a crash of the machine the file may be torn, but the caller never
// waits for the disk. Thread-safe.
inline constexpr const char* kBeside = ".rocktune-new-";
enum class Sync { kYes, kNo };
Result<void> replace_file(const std::string& path, const std::string& text, Sync sync = Sync::kYes);

}  // namespace rocktune
