#include "agent/knobs.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <thread>

#include "agent/shared_objects.h"
#include "wire/messages.h"

namespace rocktune::agent {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::chrono::seconds kOptionsAge{1};  // GetDBOptions copies everything under the DB mutex

std::int64_t machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(pages) * page;
}

std::int64_t as_signed(std::size_t bytes) {
  constexpr auto kMax = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(bytes, kMax));
}

}  // namespace

LimiterKnob::LimiterKnob(std::shared_ptr<rocksdb::RateLimiter> limiter)
    : Knob("rate_limiter_bytes_per_second", state_of(limiter)), limiter_(std::move(limiter)) {}

std::string LimiterKnob::why_not_changeable() const {
  if (!limiter_) {
    return "the database was opened without a rate limiter, and cannot be given one while it is "
           "open";
  }
  if (limiter_->GetBytesPerSecond() <= 0) return "the host's rate limiter does not tell its rate";
  return {};
}

Knob::Range LimiterKnob::range() const {
  return {kMiB, wire::kUnlimitedBytesPerSecond};
}

Knob::Reading LimiterKnob::read(Freshness /*freshness*/) {
  const auto generation = state().generation();
  return {limiter_ ? limiter_->GetBytesPerSecond() : 0, generation};
}

std::string LimiterKnob::write(std::int64_t value) {
  if (value <= 0) return "a rate must be above 0";  // RocksDB asserts
  limiter_->SetBytesPerSecond(value);
  return {};
}

JobsKnob::JobsKnob(rocksdb::DB* db, bool writable, Clock clock)
    : Knob("max_background_jobs", std::make_shared<KnobState>()),
      db_(db),
      writable_(writable),
      clock_(std::move(clock)) {}

JobsKnob::Snapshot JobsKnob::refresh(Freshness freshness) const {
  const std::lock_guard lock(mutex_);
  const auto now = clock_();
  const auto generation = state().generation();
  const bool usable = snapshot_ && freshness == Freshness::kCached &&
                      snapshot_->reading.generation == generation &&
                      now - snapshot_->at < kOptionsAge;
  if (!usable) {
    const rocksdb::DBOptions options = db_->GetDBOptions();
    const bool overridden =
        options.max_background_compactions != -1 || options.max_background_flushes != -1;
    snapshot_ = Snapshot{{options.max_background_jobs, generation}, overridden, now};
  }
  return *snapshot_;
}

std::string JobsKnob::why_not_changeable() const {
  if (!writable_) return "the database is not open for writing";
  if (refresh(Freshness::kCached).overridden) {
    return "the host sets max_background_compactions or max_background_flushes, which override it";
  }
  return {};
}

Knob::Range JobsKnob::range() const {
  const auto cpus = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  return {1, std::clamp<std::int64_t>(4 * cpus, 16, 128)};
}

Knob::Reading JobsKnob::read(Freshness freshness) {
  return refresh(freshness).reading;
}

std::string JobsKnob::write(std::int64_t value) {
  const auto status = db_->SetDBOptions({{"max_background_jobs", std::to_string(value)}});
  return status.ok() ? std::string() : status.ToString();
}

CacheKnob::CacheKnob(std::shared_ptr<rocksdb::Cache> cache)
    : Knob("block_cache_capacity_bytes", state_of(cache)), cache_(std::move(cache)) {}

std::string CacheKnob::why_not_changeable() const {
  if (!cache_) return "the default column family has no block cache";
  const std::string_view name = cache_->Name();
  if (name == "LRUCache" || name == "AutoHyperClockCache") return {};
  if (name == "HyperClockCache" || name == "FixedHyperClockCache") {
    return "a " + std::string(name) + " has a table of fixed size: growing it would gain nothing";
  }
  return "a cache of class " + std::string(name) + " is not known to be resizable";
}

Knob::Range CacheKnob::range() const {
  static const std::int64_t memory = machine_memory();
  return {kMiB, memory};
}

std::string CacheKnob::why_refused(std::int64_t value) const {
  const std::int64_t pinned = as_signed(cache_->GetPinnedUsage());
  if (cache_->HasStrictCapacityLimit() && value < pinned) {
    return "the cache has a strict limit and " + std::to_string(pinned) +
           " bytes of it are pinned: a smaller capacity would fail reads";
  }
  return {};
}

Knob::Reading CacheKnob::read(Freshness /*freshness*/) {
  const auto generation = state().generation();
  return {cache_ ? as_signed(cache_->GetCapacity()) : 0, generation};
}

std::string CacheKnob::write(std::int64_t value) {
  if (value < 0) return "a capacity cannot be negative";
  const auto target = static_cast<std::size_t>(value);
  std::size_t now = cache_->GetCapacity();
  const std::size_t fall = now > target ? now - target : 0;
  const std::size_t slice = std::max<std::size_t>(64 * kMiB, fall / 256);
  while (now > target && now - target > slice) {
    now -= slice;
    cache_->SetCapacity(now);
  }
  cache_->SetCapacity(target);
  return {};
}

}  // namespace rocktune::agent
