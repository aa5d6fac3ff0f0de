#include "agent/prepare.h"

#include <rocksdb/statistics.h>

#include <chrono>
#include <memory>

#include "agent/fork_guard.h"
#include "agent/forwarding_statistics.h"
#include "agent/include/rocktune/agent.h"
#include "agent/limiter/fair_rate_limiter.h"
#include "agent/listener.h"
#include "agent/own_statistics.h"
#include "agent/process.h"
#include "agent/rocksdb_version.h"
#include "agent/shared_objects.h"
#include "wire/messages.h"

namespace rocktune {
namespace {

void add_statistics(rocksdb::DBOptions& options) {
  if (agent::WindowedStatistics::from(options.statistics.get()) != nullptr) return;
  if (options.statistics != nullptr) {
    options.statistics = agent::ForwardingStatistics::around(options.statistics);
  } else {
    options.statistics = {new agent::OwnStatistics, agent::WindowedStatistics::discard};
  }
}

void add_limiter(rocksdb::DBOptions& options) {
  if (options.rate_limiter) return;
  const auto limiter = std::make_shared<agent::FairRateLimiter>(wire::kUnlimitedBytesPerSecond);
  agent::remember_as_ours(limiter);
  // Without a value of its own a database takes the limiter's rate as its delayed write rate: ours
  // would turn write delays off. 16 MiB/s is what it takes when there is no limiter
  // (SanitizeOptions, db/db_impl/db_impl_open.cc).
  if (options.delayed_write_rate == 0) options.delayed_write_rate = std::uint64_t{16} << 20;
  options.rate_limiter = limiter;
}

// The host's own listeners stay, and are told first.
void add_listener(rocksdb::DBOptions& options) {
  if (agent::Listener::find(options.listeners) != nullptr) return;
  options.listeners.push_back(
      std::make_shared<agent::Listener>([] { return std::chrono::steady_clock::now(); }));
}

}  // namespace

void agent::prepare(rocksdb::DBOptions& options, Purpose purpose) noexcept try {
  watch_forks();
  if (in_child() || settings().mode == wire::AgentMode::kOff || !rocksdb_mismatch().empty()) return;
  if (settings().add_statistics) add_statistics(options);
  if (settings().add_limiter && purpose == Purpose::kWrite) add_limiter(options);
  // One that is only read neither flushes nor compacts.
  if (settings().add_listener && purpose == Purpose::kWrite) add_listener(options);
} catch (...) {  // the host opens its database as if we were not there
}

void prepare(rocksdb::DBOptions& options) {
  agent::prepare(options, agent::Purpose::kWrite);
}

}  // namespace rocktune
