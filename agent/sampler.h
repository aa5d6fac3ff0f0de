// Reads one open database into a wire::Sample, cheaply: it holds the DB mutex for microseconds at
// a time, copies options at most once a second for each column family, and spends less than a
// thousandth of the time on what costs more with every file.
//
// Column families: properties, options and levels are read through handles (agent/families.h). A
// column family without a known handle is found through GetAllColumnFamilyMetaData, and has levels
// only; the sums over all column families among the database's properties include it. So are those
// beyond the first 64 handles. The listing copies the description of every file under the DB mutex:
// it is left out where the column families with a handle have more than ten thousand files, and,
// once all files together are so large that there may be more than that, or it took longer than 10
// ms or found more, for ten minutes, then for twenty, and so on. What only it tells is absent then.
// RocksDB goes on listing a dropped column family until the host destroys its last handle, and so
// do samples.
//
// What is pinned in the block cache is a visit to every cached block where that is a HyperClock
// cache: read as seldom as that asks for, and the last one told meanwhile.
//
// The levels' files and bytes come from a map that RocksDB makes by a visit to every file under the
// DB mutex. A column family where that takes more than half a millisecond of CPU time (some ten
// thousand files) gets the last ones again until it has taken no more than 1/200 of the time.
//
// Thread-safety: from one thread.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_buffer_manager.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/block_cache.h"
#include "agent/clock.h"
#include "agent/event_ring.h"
#include "agent/families.h"
#include "agent/pace.h"
#include "agent/stall_causes.h"
#include "wire/messages.h"

namespace rocktune::agent {

class Sampler {
 public:
  struct Objects {
    std::shared_ptr<rocksdb::Statistics> statistics;
    std::shared_ptr<rocksdb::Cache> cache;
    std::shared_ptr<rocksdb::RateLimiter> limiter;
    std::shared_ptr<rocksdb::WriteBufferManager> write_buffers = {};
  };

  // What a listing of all files may cost. It takes some 10 ms for ten thousand of them.
  struct ListingLimits {
    std::uint64_t files = 10'000;
    std::chrono::milliseconds duration{10};
  };

  Sampler(rocksdb::DB* db, std::shared_ptr<Families> families, Objects objects, Clock clock)
      : Sampler(db, std::move(families), std::move(objects), std::move(clock), ListingLimits{}) {}
  Sampler(rocksdb::DB* db, std::shared_ptr<Families> families, Objects objects, Clock clock,
          ListingLimits limits, Clock cpu = thread_cpu_time());

  // Everything but knobs and lease.
  wire::Sample take();
  // At the attach, for which the host waits: asks RocksDB for everything once, but for the listing
  // and what is pinned in the cache.
  void rehearse();
  // Every option of the database and of the column families with a handle.
  wire::Options options();
  // Adds to each stall its cause, as far as it can be told (agent/stall_causes.h).
  void explain_stalls(EventRing& events);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  // What is kept of a column family from one sample to the next.
  struct Watched {
    std::shared_ptr<Family> family;
    std::uint64_t version = 0;  // of the copy whose `options` and `levels` these are
    std::map<std::string, std::int64_t> options;
    int levels = 0;
    std::optional<std::uint64_t> live_data_size;
    TimePoint levels_due{};  // before it they are `last_levels`
    TimePoint read_at{};     // when its counters of stalls were read
    std::vector<wire::Level> last_levels;
  };

  void take_statistics(wire::Sample& sample);
  void take_properties(wire::Sample& sample) const;
  void take_objects(wire::Sample& sample, TimePoint now);
  void take_pinned(const rocksdb::Cache& cache, TimePoint now);
  void take_families(wire::Sample& sample, TimePoint now);
  void find_families();
  std::optional<wire::ColumnFamily> take_family(Watched& watched);
  void take_levels(Watched& watched, rocksdb::ColumnFamilyHandle* handle);
  bool read_stats(Watched& watched, rocksdb::ColumnFamilyHandle* handle,
                  StallCauses::CfStats& stats);
  [[nodiscard]] std::uint64_t estimate_files() const;
  void list_families(TimePoint now, std::uint64_t known_files);

  rocksdb::DB* const db_;
  const std::shared_ptr<Families> families_;
  const Objects objects_;
  const Clock clock_, cpu_;
  const ListingLimits limits_;
  std::uint64_t sequence_ = 0;

  Pace list_pace_;
  std::map<std::string, std::vector<wire::Level>> listed_;
  Pace live_data_pace_;
  Pace pinned_pace_;
  std::optional<std::uint64_t> pinned_;
  std::vector<Watched> watched_;
  StallCauses stall_causes_;
};

}  // namespace rocktune::agent
