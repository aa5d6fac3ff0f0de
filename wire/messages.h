// Wire v1: what the agent (inside the database process) and the daemon say to each other.
//
// Plain values, no behaviour. Each message is one JSON object in an HTTP/1.1 body; codec.h turns
// them into JSON and back, docs/wire.md specifies the protocol for other languages. Counters are
// cumulative since the database was opened; a field that the agent cannot read is absent, never 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rocktune::wire {

// Raised when a message changes in a way that an older reader would misunderstand. New optional
// fields do not raise it: readers ignore what they do not know.
inline constexpr int kVersion = 1;

// A limiter at or above this rate limits nothing (1 TiB/s): how "unlimited" is written, since
// RocksDB's limiter knows no such value.
inline constexpr std::int64_t kUnlimitedBytesPerSecond = std::int64_t{1} << 40;

// GET /v1/hello
struct Hello {
  int version = kVersion;
  std::string agent_version;    // "0.1.0"
  std::string rocksdb_version;  // of the library in the process: "7.8.3"
  std::int64_t pid = 0;
  std::string command;   // /proc/self/comm of the process
  std::string instance;  // random; another one for each start of the agent
  std::string mode;      // "rw", or "ro": every change is refused
  std::vector<std::string>
      capabilities;  // "sample", "statistics", "events", "knobs", "options", "changes", ...
};

// One open database; GET /v1/dbs returns {"databases": [...]}.
struct Database {
  std::string id;                       // unique within the instance, never used again
  std::string path;                     // absolute
  std::vector<std::string> data_paths;  // further places of SST files and WAL, absolute
  std::string access;                   // "read_write", "read_only" or "secondary"
  bool tunable = false;
  std::string reason;      // why it is not tunable; empty when it is
  std::string limiter;     // who brought the RateLimiter: "host", "agent" or "none"
  std::string statistics;  // who brought the Statistics: "host", "agent" or "none"
};

// A cumulative latency histogram in microseconds. A bucket counts values in [lower, upper);
// only buckets that are not empty are sent, in rising order, and no bucket is wider than 3% of
// its lower bound (or 1 us).
struct Histogram {
  struct Bucket {
    std::uint64_t lower_us = 0;
    std::uint64_t upper_us = 0;
    std::uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
  };
  std::vector<Bucket> buckets;
  std::uint64_t sum_us = 0;
  bool operator==(const Histogram&) const = default;
};

struct Level {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Level&) const = default;
};

// The running compactions that read level 0, together.
struct L0Compactions {
  std::uint64_t input_files = 0;              // of level 0; 0 = none is running
  std::uint64_t input_bytes = 0;              // of all their inputs
  std::optional<std::uint64_t> output_bytes;  // of the tables that they have finished so far
  std::uint64_t age_ms = 0;                   // of the oldest
  bool operator==(const L0Compactions&) const = default;
};

// The flushes and compactions that have ended since the listener was there, and the oldest running
// compaction that reads no file of level 0.
struct Jobs {
  std::uint64_t flushes = 0;
  std::optional<std::uint64_t> last_flush_age_ms;  // since the last of them ended
  // Out of level 0, those that only moved files left out.
  std::uint64_t l0_compactions = 0;
  std::uint64_t l0_compactions_ms = 0;  // in sum
  std::uint64_t l0_compactions_input_bytes = 0;
  // The others, those that only moved files among them.
  std::uint64_t deep_compactions = 0;
  std::uint64_t deep_compactions_ms = 0;
  std::uint64_t deep_running_level = 0;  // that it takes files out of; 0 = none is running
  std::uint64_t deep_running_age_ms = 0;
  // Of l0_compactions_input_bytes: ingested files of level 0, and what compactions that neither
  // level 0 nor a level's size asked for read beside level 0. Absent: not told apart.
  std::optional<std::uint64_t> l0_compactions_other_bytes = std::nullopt;
  bool operator==(const Jobs&) const = default;
};

struct ColumnFamily {
  std::string name;
  std::map<std::string, std::uint64_t> properties;  // integer properties without "rocksdb."
  std::map<std::string, std::int64_t> options;      // the integer options that its stalls depend on
  std::vector<Level> levels;                        // index = level
  std::optional<L0Compactions> l0_compactions;      // absent: no listener tells of them
  std::optional<Jobs> jobs;                         // as l0_compactions
};

// A value that the agent can change, as it is now.
struct Knob {
  std::string name;           // "max_background_jobs", ...; see docs/wire.md for the list
  std::string column_family;  // empty for a knob of the whole database
  std::int64_t value = 0;     // read back from RocksDB, not remembered
  std::int64_t found = 0;     // what it was before rocktune changed anything
  std::string owner;  // "found" (untouched), "rocktune" (we set it) or "manual" (somebody else did)
  bool changeable = false;
  std::string reason;    // why it is not changeable; empty when it is
  std::int64_t min = 0;  // what the agent accepts: it refuses the rest before RocksDB sees it
  std::int64_t max = 0;
  // Where several open databases of the process have the limiter or cache which this knob is of:
  // how many, and a number of that setting of the object, unique in the process. Else 1 and 0.
  std::uint64_t databases = 1, object = 0;
};

// What is always true of a knob.
struct KnobDetails {
  std::string scope;                    // "database", "column_family", "cache" or "limiter"
  std::string type;                     // "integer", or "boolean": 0 and 1
  std::string unit;                     // "bytes", "bytes/s", "files", ...; empty for plain numbers
  std::optional<std::int64_t> special;  // a value that is accepted outside min and max
  std::string special_means;
  std::string relations;     // to other options, checked on what a batch would make of them
  std::string cost;          // of a change: "free", "options_file" (milliseconds), ...
  std::string side_effects;  // one sentence
};

// GET /v1/dbs/{id}/knobs: every knob of the database and of its column families.
struct Knobs {
  struct Entry {
    Knob knob;
    KnobDetails details;
  };
  std::vector<Entry> knobs;
};

// POST /v1/dbs/{id}/lease takes holder, seconds and on_expiry; the same object with the rest
// filled in is part of each sample. The same holder may take its lease again at any time (a
// restarted daemon adopts what it had set); another holder is refused until it has expired.
struct Lease {
  std::string holder;
  double seconds = 0;
  std::string on_expiry;  // "restore": return each knob to its found value; "keep": leave them
  std::optional<double> remaining_seconds;
};

// GET /v1/dbs/{id}/sample[?holder=NAME]; with the holder's name it also renews that lease.
struct Sample {
  std::uint64_t sequence = 0;  // rises by one with each sample taken of this database
  std::int64_t tick_ns = 0;    // CLOCK_MONOTONIC when it was taken
  std::int64_t wall_ns = 0;    // Unix time
  std::map<std::string, std::uint64_t> tickers;  // by RocksDB's names, without "rocksdb."
  std::map<std::string, Histogram> histograms;  // "get", "write", "seek", "multiget", "write_stall"
  std::map<std::string, std::uint64_t> properties;  // of the database, without "rocksdb."
  std::map<std::string, std::uint64_t> cache;    // capacity_bytes, usage_bytes, pinned_usage_bytes
  std::map<std::string, std::uint64_t> limiter;  // bytes_through, requests
  std::map<std::string, std::uint64_t> write_buffer_manager;  // limit_bytes, stall_active (0 or 1)
  std::vector<ColumnFamily> column_families;
  // Those of the database and of its objects; of a column family's only what is not "found" (its
  // other values are among its options). GET /v1/dbs/{id}/knobs has all of them.
  std::vector<Knob> knobs;
  std::optional<Lease> lease;
  std::uint64_t next_event = 0;  // what the next event's sequence number will be
};

// Something that happened inside the database, or that the agent did to it.
struct Event {
  std::uint64_t sequence = 0;  // from 1, without gaps, for each database
  std::int64_t tick_ns = 0;    // CLOCK_MONOTONIC when it was seen
  std::int64_t wall_ns = 0;    // Unix time
  // "flush_begin", "flush_end", "compaction_begin", "compaction_end", "stall", "background_error",
  // "error_recovery", "change" (the agent changed a value, or returned it); docs/wire.md has the
  // fields of each.
  std::string kind;
  std::string column_family;                    // empty: of the whole database
  std::map<std::string, std::int64_t> numbers;  // "job", "input_bytes", "output_level", ...
  std::map<std::string, std::string> words;     // "reason", "status", "cause", "knob", ...
  bool operator==(const Event&) const = default;
};

// GET /v1/dbs/{id}/events?after=SEQUENCE[&limit=N]: those above SEQUENCE that are still kept,
// oldest first. The agent keeps the latest few hundred: `missed` says how many above SEQUENCE are
// gone.
struct Events {
  std::vector<Event> events;
  std::uint64_t missed = 0;
  std::uint64_t next_event = 0;
};

// GET /v1/dbs/{id}/options: every option in RocksDB's own spelling; a column family's with those of
// its block-based tables.
struct Options {
  std::map<std::string, std::string> database;
  std::map<std::string, std::map<std::string, std::string>> column_families;
};

// POST /v1/dbs/{id}/changes takes {"holder": NAME, "changes": [...]}; needs that holder's lease.
struct Change {
  std::string id;  // idempotency: an id that was seen before returns its first result
  std::string knob;
  std::string column_family;
  std::int64_t value = 0;
  std::optional<std::int64_t> expect;  // refuse if the value now is another
};

struct ChangeResult {
  std::string id;
  std::string status;  // "applied", "unchanged", "refused" (checked, never tried), "conflict"
                       // (expect differs, or manual), "failed" (RocksDB said no), "mismatch" (read
                       // back another value), "manual" (of a restore: left as somebody else set it)
  std::string reason;  // empty for applied and unchanged
  std::int64_t before = 0;
  std::int64_t after = 0;          // read back
  std::string column_family = {};  // with restore and release, whose ids are the knobs' names
};

// POST /v1/dbs/{id}/restore takes {"hold": bool}: returns each knob to its found value, one step
// at a time, and ends the lease; with hold the knobs are then "manual" until released.
// POST /v1/dbs/{id}/release takes {"knob": NAME, "column_family": NAME} (no knob: all of them): the
// present value becomes the found one, the owner "found".
// POST /v1/dbs/{id}/hold takes {"knob": NAME, "column_family": NAME}: the knob is "manual" from now
// on, at its present value, until released. All answer {"results": [ChangeResult]}.

// POST /v1/dbs/{id}/op_trace: RocksDB's own trace of the operations that the host asks for, into
// the file ops.trace of a directory, and a checkpoint of the database beside it.
struct OpTraceRequest {
  std::string action;  // "start", "stop" or "status"; the rest is of "start"
  // Absolute, of the host's user, nobody else's to write, no symbolic link, without an ops.trace.
  std::string directory;
  std::uint64_t max_bytes = 0;
  double seconds = 0;
  std::uint64_t keep_one_read_of = 1;  // of so many reads one is recorded; of the writes each
  bool checkpoint = true;
  bool force = false;  // also what cannot be replayed to the same contents
};

// The answer: the latest trace of the database.
struct OpTrace {
  std::string state = "none";  // "none", "recording", "ending" (its end is being written), "ended"
  // "request", "time", "size", "disk_slow", "disk_full", "disk_error", "large_record", "closing",
  // "host" (began or ended a trace of its own); empty while it goes on.
  std::string why_ended;
  std::string problem;  // the system's sentence for disk_full and disk_error
  std::string directory;
  std::int64_t begin_wall_ns = 0;
  double elapsed_seconds = 0;  // until its end
  double seconds = 0;          // as asked for, and the next
  std::uint64_t max_bytes = 0;
  std::uint64_t keep_one_read_of = 1;
  // What is in the file; a second behind at most.
  std::uint64_t bytes = 0;
  std::uint64_t writes = 0, gets = 0, multigets = 0, seeks = 0;
  std::uint64_t reads_left_out = 0;
  bool checkpoint = false;
  double checkpoint_seconds = 0;                  // that it took
  std::optional<double> writer_ns_per_operation;  // of the agent's part, on the host's threads
};

// Every answer with a status other than 2xx carries {"error": {...}}.
struct Error {
  std::string code;     // "not_found", "read_only", "lease_held", "no_lease", "bad_request", ...
  std::string message;  // what, where, what to do
};

}  // namespace rocktune::wire
