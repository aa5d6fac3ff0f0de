#include "agent/limiter/fair_rate_limiter.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "wire/messages.h"

namespace rocktune::agent {
namespace {

using Kind = TrafficCounters::Kind;
using Priority = FairRateLimiter::Priority;

constexpr auto kUnordered = std::memory_order_relaxed;

// After the timekeeper's time the others look for themselves: it may be kept from the CPU.
constexpr std::chrono::milliseconds kTakeOver{50};
// ...and so often before it: a rate that was raised meanwhile makes it earlier.
constexpr std::chrono::seconds kLookAnew{1};

// Whose requests go ahead of compactions, and wait for nobody unless set_limit_flushes(true).
constexpr bool goes_first(Traffic traffic) {
  return traffic == Traffic::kFlush || traffic == Traffic::kUser;
}

constexpr bool has_class(Priority priority) {
  return priority >= rocksdb::Env::IO_LOW && priority < rocksdb::Env::IO_TOTAL;
}

}  // namespace

struct FairRateLimiter::Waiter : FairBudget::Request {
  Priority priority = rocksdb::Env::IO_LOW;
  std::condition_variable condition;
  bool granted = false;
  std::uint64_t drains = 0;
  std::optional<std::uint64_t> waited_microseconds;
};

FairRateLimiter::FairRateLimiter(std::int64_t bytes_per_second, WaitClock& clock)
    : RateLimiter(Mode::kAllIo),
      clock_(clock),
      rate_(std::max<std::int64_t>(1, bytes_per_second)),
      budget_(rate_, clock.now()) {}

FairRateLimiter::~FairRateLimiter() {
  std::unique_lock lock(mutex_);
  const auto all = [](const FairBudget::Request&) { return true; };
  while (auto* const request = budget_.withdraw(all)) release(*request);
  all_left_.wait(lock, [this] { return inside_ == 0; });
}

bool FairRateLimiter::unlimited() const noexcept {
  return rate_.load(kUnordered) >= wire::kUnlimitedBytesPerSecond;
}

bool FairRateLimiter::waits(Traffic traffic, bool is_read) const noexcept {
  return !unlimited() && (!is_read || limit_reads_.load(kUnordered)) &&
         (!goes_first(traffic) || limit_flushes_.load(kUnordered));
}

void FairRateLimiter::SetBytesPerSecond(std::int64_t bytes_per_second) {
  if (bytes_per_second <= 0) return;
  const std::lock_guard lock(mutex_);
  rate_.store(bytes_per_second, kUnordered);
  budget_.set_rate(bytes_per_second, clock_.now());
  settings_changed();
}

void FairRateLimiter::set_limit_flushes(bool limit) {
  const std::lock_guard lock(mutex_);
  limit_flushes_.store(limit, kUnordered);
  settings_changed();
}

void FairRateLimiter::set_limit_reads(bool limit) {
  const std::lock_guard lock(mutex_);
  limit_reads_.store(limit, kUnordered);
  settings_changed();
}

void FairRateLimiter::set_l0_weight(int weight) {
  const int within = std::clamp(weight, 1, FairBudget::kMaxL0Weight);
  const std::lock_guard lock(mutex_);
  l0_weight_.store(within, kUnordered);
  budget_.set_l0_weight(within);
  settings_changed();
}

rocksdb::Status FairRateLimiter::SetSingleBurstBytes(std::int64_t bytes) {
  if (bytes < 0) return rocksdb::Status::InvalidArgument("a burst cannot be below 0 bytes");
  single_burst_.store(bytes, kUnordered);
  return rocksdb::Status::OK();
}

std::int64_t FairRateLimiter::GetSingleBurstBytes() const {
  const auto set = single_burst_.load(kUnordered);
  return set > 0 ? set : FairBudget::burst_at(GetBytesPerSecond());
}

bool FairRateLimiter::IsRateLimited(OpType op_type) {
  return op_type == OpType::kWrite || limit_reads_.load(kUnordered);
}

std::size_t FairRateLimiter::RequestToken(std::size_t bytes, std::size_t alignment,
                                          Priority priority, rocksdb::Statistics* statistics,
                                          OpType op_type) {
  if (!has_class(priority)) return bytes;
  std::size_t granted = bytes;
  if (waits(traffic_of(current_job(), priority), op_type == OpType::kRead)) {
    granted = std::min(granted, static_cast<std::size_t>(GetSingleBurstBytes()));
    // Direct I/O cannot do less than one block, even where that is more than a burst.
    if (alignment > 0) granted = std::max(alignment, granted - granted % alignment);
    granted = std::min(granted, bytes);
  }
  Request(static_cast<std::int64_t>(granted), priority, statistics, op_type);
  return granted;
}

void FairRateLimiter::Request(std::int64_t bytes, Priority priority) {
  Request(bytes, priority, nullptr, OpType::kWrite);
}

void FairRateLimiter::Request(std::int64_t bytes, Priority priority,
                              rocksdb::Statistics* statistics) {
  Request(bytes, priority, statistics, OpType::kWrite);
}

void FairRateLimiter::Request(std::int64_t bytes, Priority priority,
                              rocksdb::Statistics* statistics, OpType op_type) {
  if (!has_class(priority)) return;
  bytes = std::max<std::int64_t>(0, bytes);
  const bool is_read = op_type == OpType::kRead;
  const Traffic traffic = traffic_of(current_job(), priority);
  const Kind kind = !is_read                        ? Kind::kWrite
                    : limit_reads_.load(kUnordered) ? Kind::kChargedRead
                                                    : Kind::kFreeRead;
  counters_.add_request(traffic, kind, priority);
  LimiterTickers::Granted granted{is_read, static_cast<std::uint64_t>(bytes), 0, {}};
  const bool waiting = waits(traffic, is_read);
  if (waiting) {
    Waiter waiter;
    waiter.bytes = bytes;
    waiter.traffic = traffic;
    waiter.is_read = is_read;
    waiter.priority = priority;
    wait(waiter);
    granted.drains = waiter.drains;
    granted.waited_microseconds = waiter.waited_microseconds;
  } else if (kind != Kind::kFreeRead && !unlimited()) {
    charge(bytes);
  }
  counters_.add_bytes(traffic, kind, priority, bytes);
  if (kind != Kind::kFreeRead) tickers_.record(statistics, granted);
  if (waiting) leave();  // last: the destructor goes on when all have
}

void FairRateLimiter::charge(std::int64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  budget_.charge(bytes, clock_.now());
}

void FairRateLimiter::wait(Waiter& waiter) noexcept {
  std::unique_lock lock(mutex_);
  ++inside_;
  if (!waits(waiter.traffic, waiter.is_read)) {  // no longer
    return budget_.charge(waiter.bytes, clock_.now());
  }
  ++pending_[waiter.priority];
  budget_.enqueue(waiter);
  grant_due();
  if (waiter.granted) return;
  const auto begin = clock_.now();
  while (!waiter.granted) sleep(waiter, lock);
  const auto waited =
      std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - begin).count();
  waiter.waited_microseconds = static_cast<std::uint64_t>(waited);
  delayed_requests_.fetch_add(1, kUnordered);
  waited_microseconds_.fetch_add(static_cast<std::uint64_t>(waited), kUnordered);
  if (timekeeper_ != nullptr) return;
  if (auto* const next = budget_.next()) static_cast<Waiter*>(next)->condition.notify_one();
}

void FairRateLimiter::leave() noexcept {
  const std::lock_guard lock(mutex_);
  if (--inside_ == 0) all_left_.notify_all();
}

void FairRateLimiter::sleep(Waiter& waiter, std::unique_lock<std::mutex>& lock) noexcept {
  const auto now = clock_.now();
  const auto due = budget_.next_grant(now).value_or(now);
  // Where it has not come back by its time whoever looks first keeps the time.
  if (timekeeper_ == nullptr || due < deadline_ || deadline_ <= now) {
    timekeeper_ = &waiter;
    deadline_ = due;
    ++waiter.drains;
    clock_.wait_until(waiter.condition, lock, due);
    if (timekeeper_ == &waiter) timekeeper_ = nullptr;
  } else {
    clock_.wait_until(waiter.condition, lock, std::min(deadline_ + kTakeOver, now + kLookAnew));
  }
  grant_due();
}

void FairRateLimiter::grant_due() noexcept {
  while (auto* const request = budget_.grant(clock_.now())) release(*request);
}

void FairRateLimiter::release(FairBudget::Request& request) noexcept {
  auto& waiter = static_cast<Waiter&>(request);
  waiter.granted = true;
  --pending_[waiter.priority];
  waiter.condition.notify_one();  // with the mutex held: it cannot be gone yet
}

void FairRateLimiter::settings_changed() noexcept {
  const auto free = [this](const FairBudget::Request& request) {
    return !waits(request.traffic, request.is_read);
  };
  while (auto* const request = budget_.withdraw(free)) {
    budget_.charge(request->bytes, clock_.now());
    release(*request);
  }
  grant_due();
  if (timekeeper_ != nullptr) timekeeper_->condition.notify_one();
}

std::int64_t FairRateLimiter::GetTotalBytesThrough(Priority priority) const {
  return static_cast<std::int64_t>(counters_.charged(priority).bytes);
}

std::int64_t FairRateLimiter::GetTotalRequests(Priority priority) const {
  return static_cast<std::int64_t>(counters_.charged(priority).requests);
}

rocksdb::Status FairRateLimiter::GetTotalPendingRequests(std::int64_t* pending,
                                                         Priority priority) const {
  const std::lock_guard lock(mutex_);
  *pending = has_class(priority)
                 ? pending_[priority]
                 : std::accumulate(pending_.begin(), pending_.end(), std::int64_t{});
  return rocksdb::Status::OK();
}

std::map<std::string, std::uint64_t> FairRateLimiter::snapshot() const {
  std::map<std::string, std::uint64_t> all;
  const auto add = [&](const std::string& name, std::initializer_list<Traffic> classes) {
    TrafficCounters::Total written;
    TrafficCounters::Total read;
    for (const auto traffic : classes) {
      written += counters_.of(traffic, Kind::kWrite);
      read += counters_.of(traffic, Kind::kChargedRead);
      read += counters_.of(traffic, Kind::kFreeRead);
    }
    all[name + "_write_bytes"] = written.bytes;
    all[name + "_write_requests"] = written.requests;
    all[name + "_read_bytes"] = read.bytes;
    all[name + "_read_requests"] = read.requests;
  };
  add("flush", {Traffic::kFlush});
  add("l0_compaction", {Traffic::kL0Compaction});
  add("deep_compaction", {Traffic::kDeepCompaction});
  add("other", {Traffic::kUser, Traffic::kOther});
  std::int64_t pending = 0;
  GetTotalPendingRequests(&pending, rocksdb::Env::IO_TOTAL).PermitUncheckedError();
  all["pending_requests"] = static_cast<std::uint64_t>(pending);
  all["delayed_requests"] = delayed_requests_.load(kUnordered);
  all["waited_microseconds"] = waited_microseconds_.load(kUnordered);
  return all;
}

}  // namespace rocktune::agent
