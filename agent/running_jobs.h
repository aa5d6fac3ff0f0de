// The flushes and compactions that RocksDB has told the begin of, and not yet the end: since when
// each runs, and what those compactions hold that read level 0. L0 shrinks only when one of these
// ends, so that a forecast wants to know how far they are; and of those that have ended how many
// and how long, which says how long the next ones will take.
//
// Bounded: of more than kMost jobs the oldest are forgotten; the end of a flush that fails, and of
// what a shutdown interrupts, is never told. Of more than kMostFamilies column families those are
// forgotten, and counted from 0 again, in which nothing has ended for longest. Not thread-safe: the
// listener's lock guards it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/messages.h"

namespace rocktune::agent {

class RunningJobs {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kMost = 256;

  struct Key {
    const void* db;  // the root database
    int job;
    std::uint32_t family;
    bool operator==(const Key&) const = default;
  };
  // What a compaction reads.
  struct Input {
    std::uint64_t level0_files = 0;
    std::uint64_t bytes = 0;  // of all levels
    int level = 0;            // the first
    // Of these: ingested files of level 0, and what no merging of level 0 asked for.
    std::uint64_t other_bytes = 0;
  };
  enum class Ended { kRewrote, kMoved, kFailed };  // moved: no file was written
  static constexpr std::size_t kMostFamilies = 256;

  // `input` of compactions only. What is known under the same key is forgotten: a later database at
  // the same address begins its numbers anew.
  void begin(const Key& key, const std::string& family, std::optional<Input> input, TimePoint now);
  // How long it ran; nullopt when its begin was not told, or is forgotten.
  std::optional<TimePoint::duration> end(const Key& key, TimePoint now,
                                         Ended ended = Ended::kRewrote);
  // RocksDB tells this with the database's name instead of the DB that all else comes with: where
  // the jobs of several fit, it is taken to be nobody's.
  void table_created(const std::string& family, int job, std::uint64_t bytes);
  void clear() {
    jobs_.clear();
    done_.clear();
  }
  // The database is gone; the ends of what its close interrupted are never told.
  void forget(const void* db);

  // What runs and what has ended in this database's column families: fills `l0_compactions` and
  // `jobs` of each, by its name. One pass over the jobs; allocates nothing.
  void fill(const void* db, TimePoint now, std::vector<wire::ColumnFamily>& families) const;

 private:
  struct Done {
    std::uint64_t flushes = 0, l0 = 0, l0_bytes = 0, l0_other_bytes = 0, deep = 0;
    TimePoint::duration l0_time{0}, deep_time{0};
    std::optional<TimePoint> last_flush;
    TimePoint last;
  };
  // Compares names in place.
  struct ByFamily {
    using is_transparent = void;
    using Name = std::pair<const void*, std::string_view>;
    bool operator()(const Name& one, const Name& other) const { return one < other; }
  };
  struct Job;
  void count(const Job& job, TimePoint now, Ended ended);
  Done& done_of(const void* db, const std::string& family);
  [[nodiscard]] wire::Jobs done_in(const void* db, std::string_view family, TimePoint now) const;
  static void add(const Job& job, TimePoint now, wire::ColumnFamily& family);

  struct Job {
    Key key;
    std::string family;
    std::optional<Input> input;
    TimePoint since;
    std::optional<std::uint64_t> output_bytes = 0;
  };
  std::deque<Job> jobs_;
  std::map<std::pair<const void*, std::string>, Done, ByFamily> done_;
};

}  // namespace rocktune::agent
