// The knobs of objects that databases may share: rate limiters and block
// caches. Their changes are free, and hold at once.
#pragma once

#include <rocksdb/rate_limiter.h>

#include <cstdint>
#include <memory>
#include <string>

#include "agent/block_cache.h"
#include "agent/knob.h"
#include "agent/lent.h"
#include "agent/shared_objects.h"

namespace rocktune::agent {

// The rate, from 1 MiB/s up to "unlimited" (agent/hosts_rate.h); and where the
// limiter is the agent's own, its settings.
class LimiterGroup final : public KnobGroup {
 public:
  // `limiter` is null when the database was opened without one. One that is not `writable` is never
  // tuned.
  explicit LimiterGroup(const std::shared_ptr<rocksdb::RateLimiter>& limiter, bool writable = true);
  std::string write(const Assignments& changes) override;

 private:
  void let_go() override { leave_states(*this); }
};

// The capacity of one block cache, from 1 MiB up to the machine's memory; below
// the pinned usage only where the cache may exceed its capacity.
class CacheGroup final : public KnobGroup {
 public:
  // `cache` is null when there is none. `column_family` is empty for the
  // default one's. As for `writable`: LimiterGroup.
  CacheGroup(const std::shared_ptr<rocksdb::Cache>& cache, std::string column_family,
             bool writable = true);

  // Null: there is none. To compare with; it is kept alive until the group's end only.
  [[nodiscard]] const rocksdb::Cache* cache() const { return address_; }
  [[nodiscard]] std::string excess(const Assignments& changes) const override;
  [[nodiscard]] std::string why_not_now(const Assignments& changes) const override;
  // A large reduction goes down in slices, so that no cache shard is locked for
  // long.
  std::string write(const Assignments& changes) override;

 private:
  void let_go() override;
  [[nodiscard]] std::string why_not_changeable(bool writable) const;

  const rocksdb::Cache* const address_;
  Lent<rocksdb::Cache> cache_;
};

}  // namespace rocktune::agent
