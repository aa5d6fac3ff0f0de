// The values that this version can change, with the checks that RocksDB itself does not make.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/rate_limiter.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/block_cache.h"
#include "agent/clock.h"
#include "agent/knob.h"

namespace rocktune::agent {

// rate_limiter_bytes_per_second, on the limiter object. From 1 MiB/s up to "unlimited".
class LimiterKnob final : public Knob {
 public:
  // `limiter` is null when the database was opened without one.
  explicit LimiterKnob(std::shared_ptr<rocksdb::RateLimiter> limiter);
  std::string why_not_changeable() const override;
  Range range() const override;
  Reading read(Freshness freshness) override;
  std::string write(std::int64_t value) override;

 private:
  const std::shared_ptr<rocksdb::RateLimiter> limiter_;
};

// max_background_jobs, through SetDBOptions. From 1 up to four for each CPU (but 16 to 128).
class JobsKnob final : public Knob {
 public:
  // A database that is not `writable` takes no new options (one opened read-only would take them,
  // and write an OPTIONS file into the directory that it shall not touch).
  JobsKnob(rocksdb::DB* db, bool writable, Clock clock);
  std::string why_not_changeable() const override;
  Range range() const override;
  Reading read(Freshness freshness) override;
  std::string write(std::int64_t value) override;

 private:
  struct Snapshot {
    Reading reading;
    // The old pair of options, when the host set them: max_background_jobs has no effect then.
    bool overridden = false;
    std::chrono::steady_clock::time_point at;
  };
  Snapshot refresh(Freshness freshness) const;

  rocksdb::DB* const db_;
  const bool writable_;
  const Clock clock_;
  mutable std::mutex mutex_;
  mutable std::optional<Snapshot> snapshot_;
};

// block_cache_capacity_bytes, on the block cache of the default column family. From 1 MiB up to the
// machine's memory; below the pinned usage only where the cache may exceed its capacity.
class CacheKnob final : public Knob {
 public:
  // `cache` is null when the database has no block cache.
  explicit CacheKnob(std::shared_ptr<rocksdb::Cache> cache);
  std::string why_not_changeable() const override;
  Range range() const override;
  std::string why_refused(std::int64_t value) const override;
  Reading read(Freshness freshness) override;
  // A large reduction goes down in slices, so that no cache shard is locked for long.
  std::string write(std::int64_t value) override;

 private:
  const std::shared_ptr<rocksdb::Cache> cache_;
};

}  // namespace rocktune::agent
