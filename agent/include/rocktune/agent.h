// The rocktune agent: lets rocktuned see and tune the RocksDB databases of this process. For
// programs in C, and those that use RocksDB through its C API, there is rocktune/c.h;
// docs/attach.md has all the ways in.
//
//   rocksdb::DBOptions options = ...;
//   rocktune::prepare(options);                       // before opening: completes the options
//   rocksdb::DB::Open(options, path, ..., &db);
//   auto attachment = rocktune::Agent::attach(db);    // after opening
//   ...
//   attachment.reset();                               // BEFORE the database is closed or deleted
//   delete db;
//
// The agent serves wire v1 (docs/wire.md) on a Unix socket, $ROCKTUNE_AGENT_DIR/agent.<pid>.sock
// (default /run/rocktune), from a few threads of its own, all signals blocked. It never throws,
// never writes to stdout or stderr, and uses bounded memory. When it cannot run (no directory, no
// permission) the host goes on as if it were not there; status() says why. After fork() the child
// has no agent.
//
// Environment: ROCKTUNE_AGENT_DIR; ROCKTUNE_AGENT_MODE=rw|ro|off (ro refuses every change);
// ROCKTUNE_AGENT_OPEN=statistics,limiter,events|none: what prepare() may add at open (default all).
//
// Thread-safety: every function may be called from any thread.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <memory>
#include <string>
#include <vector>

#if defined(__GNUC__)
#define ROCKTUNE_API __attribute__((visibility("default")))
#else
#define ROCKTUNE_API
#endif

namespace rocktune {

// Completes options before a database is opened: wraps (or adds) the Statistics, so that latencies
// can be kept per interval; adds an unlimited RateLimiter if there is none, and an EventListener
// after the host's own ones. A host's own limiter is left alone. Safe to call twice. Once for each
// database: those that are opened with the same completed options share its counters and limiter.
// With a limiter in place RocksDB raises a bytes_per_sync of 0 to 1 MiB (it then writes SST files
// out in steps); write delays stay as they would be without it.
ROCKTUNE_API void prepare(rocksdb::DBOptions& options);

class Agent {
 public:
  // One attached database; destroying it detaches, and waits until the agent has let go of the
  // database (at most one running request, and a checkpoint). Must not outlive the database's open
  // state.
  //
  // Neither destroy it nor call forget() with a mutex held that an EventListener of yours takes:
  // both wait for a change that is under way, and return what was changed, and RocksDB may call
  // listeners at the end of that (OnStallConditionsChanged), on the agent's thread or on yours.
  class Attachment {
   public:
    virtual ~Attachment() = default;
    // The id that the wire knows this database by; empty when the agent is off.
    [[nodiscard]] virtual std::string id() const = 0;
    // Call before destroying a handle that was given to attach() or add(). Waits for whoever uses
    // it.
    virtual void forget(rocksdb::ColumnFamilyHandle* handle) = 0;
    // For a column family that was created after attach(): has it sampled in full.
    virtual void add(rocksdb::ColumnFamilyHandle* handle) = 0;
  };

  // `db` must be open and stay so until the attachment is destroyed. Never null.
  //
  // Samples carry the default column family in full. Those of `handles` they do as well: each
  // handle must stay valid until it is forgotten or the attachment is destroyed. Of the others they
  // carry the levels, and their part of the database's sums.
  ROCKTUNE_API static std::unique_ptr<Attachment> attach(
      rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles = {});

  // "serving on <socket>", or why not.
  ROCKTUNE_API static std::string status();
};

}  // namespace rocktune
