// ops.trace, as RocksDB's Tracer encodes it: records of a time, a type and a payload. Keys and
// values in it have no checksum of their own, so a recording's manifest has one of the whole file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::trace {

inline constexpr const char* kOpTraceName = "ops.trace";

// Of a record: its time (8 bytes), its type (1), the length of the rest (4, the lowest first): see
// RocksDB's trace_replay/trace_replay.h.
inline constexpr std::size_t kOpHeadBytes = 13;
struct OpHead {
  char type = 0;  // rocksdb::TraceType
  std::uint32_t payload_bytes = 0;
};
OpHead decode_op_head(const char* bytes);

// What is in such a file. A record that is torn at its end counts in bytes and checksum alone.
struct OpTraceContents {
  std::uint64_t bytes = 0;
  std::uint64_t writes = 0, gets = 0, multigets = 0, seeks = 0;
  std::uint32_t crc32 = 0;  // zlib's
};
// Reads all of it.
Result<OpTraceContents> read_op_trace(const std::string& path);

}  // namespace rocktune::trace
