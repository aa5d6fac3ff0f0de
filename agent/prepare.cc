// rocktune::prepare: completes the options that a database is about to be opened with.
#include <rocksdb/rate_limiter.h>
#include <rocksdb/statistics.h>

#include <memory>

#include "agent/fork_guard.h"
#include "agent/include/rocktune/agent.h"
#include "agent/process.h"
#include "agent/shared_objects.h"
#include "agent/statistics.h"
#include "wire/messages.h"

namespace rocktune {
namespace {

void add_statistics(rocksdb::DBOptions& options) {
  if (agent::WindowedStatistics::from(options.statistics.get()) != nullptr) return;
  const bool hosts = options.statistics != nullptr;
  auto inner = hosts ? options.statistics : rocksdb::CreateDBStatistics();
  options.statistics = std::make_shared<agent::WindowedStatistics>(std::move(inner), hosts);
}

void add_limiter(rocksdb::DBOptions& options) {
  if (options.rate_limiter) return;
  const std::shared_ptr<rocksdb::RateLimiter> limiter(
      rocksdb::NewGenericRateLimiter(wire::kUnlimitedBytesPerSecond));
  agent::remember_as_ours(limiter);
  // Without a value of its own a database takes the limiter's rate as its delayed write rate: ours
  // would turn write delays off. 16 MiB/s is what it takes when there is no limiter
  // (SanitizeOptions, db/db_impl/db_impl_open.cc).
  if (options.delayed_write_rate == 0) options.delayed_write_rate = std::uint64_t{16} << 20;
  options.rate_limiter = limiter;
}

}  // namespace

void prepare(rocksdb::DBOptions& options) try {
  agent::watch_forks();
  if (agent::in_child() || agent::settings().mode == agent::Mode::kOff) return;
  if (agent::settings().add_statistics) add_statistics(options);
  if (agent::settings().add_limiter) add_limiter(options);
} catch (...) {  // the host opens its database as if we were not there
}

}  // namespace rocktune
