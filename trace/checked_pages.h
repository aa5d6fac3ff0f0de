// Pages that tell when they are not what was written: an SQLite VFS above the system's own that
// keeps a checksum of each page of a trace in the page's last bytes, which SQLite leaves alone
// ("reserved bytes"). A page that was flipped, moved or cut is an error of whatever reads it, never
// another value; indexes and the schema included. To every other program the file is an ordinary
// SQLite database.
//
//   checksum = CRC-32 (zlib's) of the page's number (from 0, 8 bytes, little-endian) and its bytes
//              without the last four, little-endian; 1 where that is 0
//
// 0 stands for "never checked": pages that another program wrote, as sqlite3 does when it is the
// last to close a trace that a killed daemon left with a WAL. Frames of the WAL have checksums of
// SQLite's own, which it looks at when it opens one. Files that reserve no such bytes (schemas
// before 4) pass through. Thread-safe as SQLite's own VFS.
#pragma once

#include <sqlite3.h>

#include "model/result.h"

namespace rocktune::trace {

inline constexpr int kPageBytes = 4096;
inline constexpr int kPageCheckBytes = 4;

// The name of the VFS; registers it first.
Result<const char*> checked_pages_vfs();

// Makes a database that has no page yet keep checksums; its pages must be of kPageBytes.
Result<void> reserve_page_checks(sqlite3* connection);
// Whether the pages of the main file are checked.
bool has_page_checks(sqlite3* connection);

}  // namespace rocktune::trace
