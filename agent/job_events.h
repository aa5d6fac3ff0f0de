// What RocksDB tells its listeners about flushes, compactions and errors, as events of the wire.
// Pure; docs/wire.md specifies the fields.
#pragma once

#include <rocksdb/listener.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "wire/messages.h"

namespace rocktune::agent {

using Elapsed = std::optional<std::chrono::steady_clock::duration>;

wire::Event flush_begin(const rocksdb::FlushJobInfo& info);
// `elapsed` since its begin, if that was seen: RocksDB does not tell.
wire::Event flush_end(const rocksdb::FlushJobInfo& info, Elapsed elapsed);
// Whether it only moves its files; known at its end. A compaction moves all of them or none.
bool moves_files(const rocksdb::CompactionJobInfo& info);
wire::Event compaction_begin(const rocksdb::CompactionJobInfo& info);
// `elapsed` is used where RocksDB does not tell (a trivial move).
wire::Event compaction_end(const rocksdb::CompactionJobInfo& info, Elapsed elapsed);

// What a compaction reads of level 0, and how much of that was ingested: files that an
// SstFileWriter made, which marks them. At its begin; both in bytes as of compaction_begin().
struct Level0Input {
  std::uint64_t files = 0, bytes = 0, ingested_bytes = 0;
};
Level0Input level0_input(const rocksdb::CompactionJobInfo& info);
// Whether level 0 or the size of a level asked for it: not the host, an age or a mark.
bool is_for_size(rocksdb::CompactionReason reason);

wire::Event background_error(rocksdb::BackgroundErrorReason reason, const rocksdb::Status& status);
wire::Event recovery_begin(rocksdb::BackgroundErrorReason reason, const rocksdb::Status& status);
wire::Event recovery_end(const rocksdb::BackgroundErrorRecoveryInfo& info);

// "normal", "delayed" or "stopped".
std::string name_of(rocksdb::WriteStallCondition condition);

// RocksDB's own names of the reasons; one that is newer than this code is "reason 21".
std::string name_of(rocksdb::FlushReason reason);
std::string name_of(rocksdb::CompactionReason reason);
std::string name_of(rocksdb::BackgroundErrorReason reason);

// Text of the host's, cut to a length that an event may have.
std::string bounded(const std::string& text);

}  // namespace rocktune::agent
