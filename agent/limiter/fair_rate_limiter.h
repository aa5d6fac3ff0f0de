// The rate limiter that the agent installs where the host brought none.
//
// It differs from RocksDB's own (NewGenericRateLimiter) in what is limited, and in whose favour:
// - Flushes never wait, unless set_limit_flushes(true); what they write is charged, and compactions
//   give way for it, down to half of the rate. So is what the host writes with Env::IO_USER.
// - Level-0 compactions weigh more than deeper ones, 4 : 1 unless set otherwise.
// - Reads that carry a priority are counted: those of compactions, a user's only if he asked for
//   it. They are held against the rate, and wait, only after set_limit_reads(true).
// - A new rate or setting holds at once, also for those who wait already.
// - At the rate wire::kUnlimitedBytesPerSecond and above nothing waits: a request costs a few
//   relaxed atomic operations and no lock. Requests that do not wait are not cut into bursts.
// What is shared out how is told in fair_budget.h; who is who in traffic.h.
//
// Thread-safety: all functions. Databases may share it. Throws nothing, as RocksDB demands.
#pragma once

#include <rocksdb/rate_limiter.h>
#include <rocksdb/version.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "agent/limiter/fair_budget.h"
#include "agent/limiter/limiter_tickers.h"
#include "agent/limiter/traffic_counters.h"
#include "agent/limiter/wait_clock.h"

namespace rocktune::agent {

class FairRateLimiter final : public rocksdb::RateLimiter {
 public:
  using Priority = rocksdb::Env::IOPriority;

  // The clock outlives it.
  explicit FairRateLimiter(std::int64_t bytes_per_second, WaitClock& clock = WaitClock::real());
  ~FairRateLimiter() override;  // lets go of those who still wait, and waits until they have left

  // Off by default.
  void set_limit_flushes(bool limit);
  [[nodiscard]] bool limit_flushes() const { return limit_flushes_; }
  // Off by default.
  void set_limit_reads(bool limit);
  [[nodiscard]] bool limit_reads() const { return limit_reads_; }
  // From 1 to FairBudget::kMaxL0Weight; what is beyond is taken as the nearest of them.
  void set_l0_weight(int weight);
  [[nodiscard]] int l0_weight() const { return l0_weight_; }

  // Cumulative, for wire::Sample::limiter: <class>_write_bytes, _write_requests, _read_bytes and
  // _read_requests of flush, l0_compaction, deep_compaction and other; delayed_requests and
  // waited_microseconds; and pending_requests, which is how many wait now.
  [[nodiscard]] std::map<std::string, std::uint64_t> snapshot() const;

  // A rate that is not above 0 is ignored (RocksDB's own asserts).
  void SetBytesPerSecond(std::int64_t bytes_per_second) override;
  std::int64_t GetBytesPerSecond() const override { return rate_.load(std::memory_order_relaxed); }
  // The largest request that is made of a larger one. 0: one burst, see FairBudget::burst_at().
  // The bucket's own burst is not changed by it.
#if ROCKSDB_MAJOR > 8 || (ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR >= 8)
  rocksdb::Status SetSingleBurstBytes(std::int64_t bytes) override;
#else
  rocksdb::Status SetSingleBurstBytes(std::int64_t bytes);
#endif
  std::int64_t GetSingleBurstBytes() const override;

  // Reads are requested either way (RequestToken() asks nobody else); where it is said that they
  // are limited RocksDB takes the time before and after, so that the wait is not in a read's
  // histogram.
  bool IsRateLimited(OpType op_type) override;
  void Request(std::int64_t bytes, Priority priority) override;
  void Request(std::int64_t bytes, Priority priority, rocksdb::Statistics* statistics) override;
  void Request(std::int64_t bytes, Priority priority, rocksdb::Statistics* statistics,
               OpType op_type) override;
  std::size_t RequestToken(std::size_t bytes, std::size_t alignment, Priority priority,
                           rocksdb::Statistics* statistics, OpType op_type) override;

  // What is held against the rate: writes, and reads while they are limited.
  std::int64_t GetTotalBytesThrough(Priority priority) const override;
  std::int64_t GetTotalRequests(Priority priority) const override;
  rocksdb::Status GetTotalPendingRequests(std::int64_t* pending, Priority priority) const override;

 private:
  struct Waiter;

  [[nodiscard]] bool unlimited() const noexcept;
  [[nodiscard]] bool waits(Traffic traffic, bool is_read) const noexcept;
  void charge(std::int64_t bytes) noexcept;
  // Until it may go; each call is followed by leave().
  void wait(Waiter& waiter) noexcept;
  void leave() noexcept;
  // With the mutex held:
  void sleep(Waiter& waiter, std::unique_lock<std::mutex>& lock) noexcept;
  void grant_due() noexcept;
  void release(FairBudget::Request& request) noexcept;
  // Lets those go who need not wait any longer, and has the next grant's time found anew.
  void settings_changed() noexcept;

  WaitClock& clock_;
  const LimiterTickers tickers_;
  std::atomic<std::int64_t> rate_;
  std::atomic<std::int64_t> single_burst_{0};
  std::atomic<bool> limit_flushes_{false};
  std::atomic<bool> limit_reads_{false};
  std::atomic<int> l0_weight_{FairBudget::kDefaultL0Weight};
  TrafficCounters counters_;
  std::atomic<std::uint64_t> delayed_requests_{0};
  std::atomic<std::uint64_t> waited_microseconds_{0};

  mutable std::mutex mutex_;  // guards what follows
  FairBudget budget_;
  // The waiter who sleeps to the next deadline, and it: the others sleep until they are notified,
  // or a moment longer. While anybody waits there is one, or somebody is awake who will be one.
  Waiter* timekeeper_ = nullptr;
  FairBudget::TimePoint deadline_;
  std::array<std::int64_t, rocksdb::Env::IO_TOTAL> pending_{};
  int inside_ = 0;  // threads between wait() and leave()
  std::condition_variable all_left_;
};

}  // namespace rocktune::agent
