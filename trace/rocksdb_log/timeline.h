// Timeline: the database as a LOG tells it, at any moment of it.
//
// Events are applied in the order of time; reading() is what an agent would have sampled then, with
// everything absent that the LOG does not tell; take_events() are the events as the agent's stream
// spells them (docs/wire.md). Not thread-safe. Memory is bounded by what the database itself has
// and by the events and dumps that are not yet taken: taking them in time is the caller's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/event.h"
#include "model/sample.h"
#include "trace/rocksdb_log/family_state.h"
#include "trace/rocksdb_log/log_event.h"

namespace rocktune::trace::rocksdb_log {

// One opening of the database.
struct Session {
  std::uint64_t number = 0;  // from 1; 0: the LOG has told nothing yet
  bool open = false;
  std::string id;  // RocksDB's; empty before 6.12
  std::string version, host, path;
  std::optional<bool> has_limiter, has_statistics;  // absent until the header told
  Counter max_background_jobs, delayed_write_rate, max_subcompactions;
  // Set (not -1), they override max_background_jobs.
  Counter max_background_compactions, max_background_flushes;
  bool atomic_flush = false;
};

// A database event at its time: Instant and incarnation are the importer's to fill in.
using PastEvent = std::pair<Micros, DatabaseEvent>;

class Timeline {
 public:
  void apply(const TimedEvent& event);
  // Ends what was over by then but not yet sure; before reading() and after the last event.
  void settle(Micros now);

  [[nodiscard]] const Session& session() const { return session_; }
  // Whether this event of a header tells that the database was opened anew: the same header stands
  // on top of a rolled file.
  [[nodiscard]] bool begins_session(const LogEvent& event) const;
  [[nodiscard]] DatabaseReading reading(Micros at) const;
  std::vector<PastEvent> take_events() { return std::exchange(events_, {}); }
  // Events that were left out: the LOG does not tell whose they are (its beginning is missing).
  [[nodiscard]] std::uint64_t unknown_family() const { return unknown_family_; }
  [[nodiscard]] std::size_t waiting_dumps() const { return dumps_.size(); }
  // Dumps since the last call.
  std::vector<std::pair<Micros, StatsDumped>> take_dumps() { return std::exchange(dumps_, {}); }

 private:
  struct Job {
    bool compaction = false;
    std::string family, thread, reason;
    Micros began{0};
    CompactionStarted inputs;  // of a compaction
    std::uint64_t input_files = 0, level0_files = 0, input_bytes = 0;
    std::uint64_t read_bytes = 0, output_bytes = 0;
    std::optional<std::uint64_t> flushed_bytes, flushed_memtables;
    std::vector<TableCreated> outputs;
    [[nodiscard]] std::optional<std::size_t> input_level() const {
      return inputs.inputs.empty() ? std::nullopt : std::optional(inputs.inputs.front().first);
    }
  };

  void on(const VersionTold& told);
  void on(const SessionTold& told);
  void on(const HostTold& told) { session_.host = told.name; }
  void on(const DatabaseTold& told);
  void on(const RecoveryBegan& told);
  void on(const OptionTold& told);
  void on(const FlushStarted& told);
  void on(const FlushFinished& told);
  void on(const CompactionStarted& told);
  void on(const CompactionFinished& told);
  void on(const TableCreated& told);
  void on(const TableDeleted& told);
  void on(const FileMoved& told);
  void on(const MoveFinished& told);
  void on(const MemtableSwitched& told);
  void on(const LevelsTold& told);
  void on(const PendingTold& told);
  void on(const StallTold& told);
  void on(const StatsDumped& told);
  void on(const FamilyCreated& told) { family(told.family).begin_empty(); }
  void on(const FamilyDropped& told);
  void on(const ShutDown& told);

  void begin_session(const std::string& id);
  template <class Told>
  [[nodiscard]] bool lacks_family(const Told& told) const;
  FamilyState& family(const std::string& name);
  void begin_job(std::uint64_t number, Job job);
  void add_table(const std::string& name, std::uint64_t level, const TableCreated& table);
  void count_inputs(Job& job, const CompactionStarted& told);
  void replace_files(const std::string& name, const Job& job, std::uint64_t output_level);
  void end_stall(const std::string& name, FamilyState& state, Micros at);
  void tell(Micros at, std::string kind, const std::string& family,
            std::map<std::string, std::int64_t> numbers, std::map<std::string, std::string> words);
  void fill_level0_compactions(Micros at, const std::string& name,
                               ColumnFamilyReading& reading) const;
  void fill_deep_compaction(Micros at, const std::string& name, ColumnFamilyReading& reading) const;

  Session session_;
  Micros now_{0};
  bool told_path_ = false;          // ... of this header
  bool fresh_ = false;              // the session's database had no table files
  bool recovering_ = false;         // no job has begun since the open
  std::vector<std::string> order_;  // of the column families
  std::map<std::string, FamilyState> families_;
  std::map<std::uint64_t, std::string> table_families_;  // of the tables that were told of
  std::map<std::uint64_t, Job> jobs_;                    // running
  std::uint64_t flush_bytes_ = 0, read_bytes_ = 0, written_bytes_ = 0;
  Counter stalled_rate_;  // as last told
  Counter cache_capacity_;
  std::uint64_t unknown_family_ = 0;
  std::vector<PastEvent> events_;
  std::vector<std::pair<Micros, StatsDumped>> dumps_;
};

}  // namespace rocktune::trace::rocksdb_log
