// FamilyState: one column family as the LOG tells it: options, levels, memtables, debt, and whether
// its writes are stalled.
//
// When a stall ends the LOG does not say. RocksDB looks at its stall conditions whenever it
// installs something new (a memtable switched, a flush or a compaction ended), and says so in the
// LOG each time that one holds. So a stall is over with the first install after which its condition
// does not hold by the numbers that the LOG tells (L0 files, immutable memtables) and that RocksDB
// does not follow with another such message within 100 ms; of the debt, whose limit is near enough
// to the estimate to be doubtful, the message alone decides. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/compaction_debt.h"
#include "model/sample.h"
#include "trace/rocksdb_log/done_jobs.h"
#include "trace/rocksdb_log/family_files.h"
#include "trace/rocksdb_log/log_event.h"

namespace rocktune::trace::rocksdb_log {

// After an install RocksDB's word comes within microseconds, under the same mutex.
inline constexpr Micros kStallSilence = std::chrono::milliseconds(100);

struct StallState {
  enum class Condition { kNormal, kDelayed, kStopped };
  Condition condition = Condition::kNormal;
  StallCause cause = StallCause::kL0Files;
  Micros since{0};                   // of the condition
  std::optional<Micros> over_since;  // by an install; not yet sure
};

class FamilyState {
 public:
  explicit FamilyState(const std::string& name) { options_.name = name; }

  void set_option(std::string_view name, std::string_view value);
  // The database is new: what is not told of is not there.
  void begin_empty() { empty_at_first_ = true; }

  void set_levels(const LevelFiles& levels) { counts_ = levels; }
  void set_immutable(std::uint64_t memtables) { immutable_ = memtables; }
  void set_pending(Micros at, std::uint64_t bytes) { told_pending_ = {at, bytes}; }
  void calibrate(const FamilyStats& stats, Micros at);
  // Something new was installed at that time: what was told of the debt before is void, and a stall
  // may be over.
  void install(Micros at);
  void stall(Micros at, const StallTold& told);

  FamilyFiles& files() { return files_; }
  DoneJobs& done_jobs() { return done_jobs_; }
  StallState& stall_state() { return stall_; }
  [[nodiscard]] const FamilyFiles& files() const { return files_; }
  [[nodiscard]] const DoneJobs& done_jobs() const { return done_jobs_; }
  [[nodiscard]] const StallState& stall_state() const { return stall_; }

  // Options, levels, memtables and debt; what the LOG does not tell is absent.
  [[nodiscard]] ColumnFamilyReading reading() const;

 private:
  struct ToldPending {
    Micros at{0};
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] bool stall_holds() const;
  [[nodiscard]] std::vector<LevelReading> levels() const;
  [[nodiscard]] Counter pending(const std::vector<LevelReading>& levels) const;

  ColumnFamilyReading options_;  // with nothing but the name and the options
  LevelShape shape_;
  bool leveled_ = true;
  bool compacts_ = true;        // by itself
  std::size_t num_levels_ = 7;  // RocksDB's default
  bool empty_at_first_ = false;
  bool calibrated_ = false;  // a dump has told the levels' sizes
  LevelFiles counts_;        // empty: not known
  FamilyFiles files_;
  DoneJobs done_jobs_;
  Counter immutable_;
  std::optional<ToldPending> told_pending_;
  StallState stall_;
};

}  // namespace rocktune::trace::rocksdb_log
