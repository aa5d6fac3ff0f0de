// manifest.json of a directory that `rocktune record-ops` made: what was recorded, so that a replay
// knows what it has before it opens a database. Pure: text in, text out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/result.h"

namespace rocktune::trace {

inline constexpr const char* kOpManifestName = "manifest.json";
inline constexpr const char* kOpManifestSchema = "rocktune-op-recording/1";

// Knobs by name, by column family; "" for those of the whole database.
using FoundKnobs = std::map<std::string, std::map<std::string, std::int64_t>>;

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
  // Of ops.trace: what is in the file.
  std::uint64_t bytes = 0;
  std::uint64_t writes = 0, gets = 0, multigets = 0, seeks = 0;
  // zlib's, of the whole file. Absent: it goes on, whoever recorded was killed, or an earlier
  // version wrote this.
  std::optional<std::uint32_t> crc32;
  std::uint64_t keep_one_read_of = 1, reads_left_out = 0;
  bool checkpoint = false;
  // Its files with their sizes, by name. Absent: there is none, or as with crc32.
  std::optional<std::map<std::string, std::uint64_t>> checkpoint_files;
  std::string options_file;  // within the directory; empty: there is none
  // What RocksDB's options file does not have, as it was found. Absent: none, or not known.
  std::optional<std::int64_t> block_cache_bytes;
  std::optional<std::int64_t> rate_limit_bytes_per_second;
  // What stood elsewhere than the program had it, by rocktune: each as it was found.
  std::optional<FoundKnobs> found_knobs;
  std::optional<double> writer_ns_per_operation;
};

// Writes, reads and seeks.
std::uint64_t operations_of(const OpRecording& recording);

std::string encode(const OpRecording& recording);
// Errors name `file` and the field.
Result<OpRecording> decode_op_recording(const std::string& text, const std::string& file);

}  // namespace rocktune::trace
