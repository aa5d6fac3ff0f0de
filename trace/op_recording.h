// manifest.json of a directory that `rocktune record-ops` made: what was recorded, so that a replay
// knows what it has before it opens a database. Pure: text in, text out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/result.h"

namespace rocktune::trace {

inline constexpr const char* kOpManifestName = "manifest.json";
inline constexpr const char* kOpManifestSchema = "rocktune-op-recording/1";

struct OpRecording {
  std::string database;  // its path when it was recorded
  std::int64_t pid = 0;
  std::string command;
  std::string rocksdb_version;
  std::string begin;  // RFC 3339, UTC
  double seconds = 0;
  std::string state;      // "recording": it goes on, or whoever recorded was killed; "ended"
  std::string why_ended;  // docs/wire.md has the words; empty while it goes on
  std::string problem;    // the system's sentence, of a disk
  std::uint64_t bytes = 0;
  std::uint64_t writes = 0, gets = 0, multigets = 0, seeks = 0;
  std::uint64_t keep_one_read_of = 1, reads_left_out = 0;
  bool checkpoint = false;
  std::string options_file;  // within the directory; empty: there is none
  // What RocksDB's options file does not have. Absent: none, or not known.
  std::optional<std::int64_t> block_cache_bytes;
  std::optional<std::int64_t> rate_limit_bytes_per_second;
  std::optional<double> writer_ns_per_operation;
};

std::string encode(const OpRecording& recording);
// Errors name `file` and the field.
Result<OpRecording> decode_op_recording(const std::string& text, const std::string& file);

}  // namespace rocktune::trace
