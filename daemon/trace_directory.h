// The directory of traces: one file per run, and old runs removed by age and by total size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/log.h"
#include "model/clock.h"
#include "model/result.h"
#include "model/units.h"

namespace rocktune::daemon {

// "rocktune-20260131T120000Z-4711.sqlite"
std::string trace_file_name(Nanoseconds wall, std::int64_t pid);
bool is_trace_file_name(std::string_view name);

struct TraceFile {
  std::string path;
  Bytes size;               // with its -wal and -shm files
  Nanoseconds modified{0};  // Unix time
};

// Which of `files` to remove: those last written before now - max_age, then the oldest ones until
// the rest, `keep` included, fit into max_size. `keep` (the current run) is never among them.
std::vector<TraceFile> expired_traces(std::vector<TraceFile> files, const std::string& keep,
                                      Nanoseconds now, Bytes max_size, Nanoseconds max_age);

Result<std::vector<TraceFile>> list_traces(const std::string& directory);

// Whether another process has it open: a daemon that writes it, or somebody who reads it. Not for a
// trace that this process has open itself, which would lose its locks (POSIX).
bool is_open_elsewhere(const std::string& path);

Result<void> remove_trace(const TraceFile& file);

// What a trace leaves free of a file system of that size, for the databases and whatever else is
// there: 1 GiB, or a twentieth if that is less, as a recording of operations does (the agent's,
// with which this shares no code: agent/op_trace/file.h).
Bytes trace_reserve(Bytes file_system);
struct DiskSpace {
  Bytes free, all;
};
using LookAtDisk = std::function<std::optional<DiskSpace>(const std::string& directory)>;
// Of the file system that it is on; absent: that cannot be told.
std::optional<DiskSpace> disk_space(const std::string& directory);
// kIo: less than the reserve is free. What cannot be told is no error: writing will.
Result<void> check_room(const std::string& directory, const std::optional<DiskSpace>& space);

// Creates a directory and its parents where they do not exist, and says so: its name may be
// misspelt. The error says what to do.
Result<void> ensure_directory(const std::string& directory, const std::string& what, Log& log);
// kPermission where nobody may write there, since the file system is mounted read-only.
Result<void> check_not_read_only(const std::string& directory);
// A clause for messages of that errno, empty for any other: as a rule it is the unit's sandbox.
std::string read_only_advice(int error);

}  // namespace rocktune::daemon
