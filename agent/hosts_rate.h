// The rate of a limiter that the host brought, where "unlimited" is not 2^40 but a rate that the
// limiter can come down from.
//
// Thread-safety: told() from any thread; to_set() by one thread at a time (the write lock of the
// rate's KnobState, which the databases that share the limiter share as they share this).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "wire/messages.h"

namespace rocktune::agent {

// What "unlimited" is on a limiter that the host brought, unless the host had more. RocksDB's own
// one keeps what was not used of a tenth of a second's bytes, and gives that out first when the
// rate is lowered: 110 GB at 1 TiB/s (docs/adr/004), 0.8 GiB here. More than a device on four lanes
// of PCIe 4.0 can write (7.9 GB/s). The odd byte tells it from a rate of the host's.
inline constexpr std::int64_t kUnlimitedOnHostsLimiter = (std::int64_t{8} << 30) + 1;

class HostsRate {
 public:
  // What is told of a rate that the limiter has.
  [[nodiscard]] std::int64_t told(std::int64_t rate) const noexcept {
    return rate == unlimited_.load(std::memory_order_relaxed) ? wire::kUnlimitedBytesPerSecond
                                                              : rate;
  }
  // What to set for `wanted`. `now` is what the limiter has, `found` what was told of the rate that
  // was found there: that one goes back as it was.
  [[nodiscard]] std::int64_t to_set(std::int64_t wanted, std::int64_t now,
                                    std::optional<std::int64_t> found) noexcept {
    if (told(now) == found) found_ = now;  // it is being left
    if (found_ && wanted == found) return *found_;
    const std::int64_t hosts = found_.value_or(0);
    if (wanted < wire::kUnlimitedBytesPerSecond || hosts >= wanted) return wanted;
    const auto unlimited = std::max(kUnlimitedOnHostsLimiter, hosts + 1);  // never less than it had
    unlimited_.store(unlimited, std::memory_order_relaxed);
    return unlimited;
  }

 private:
  std::atomic<std::int64_t> unlimited_{kUnlimitedOnHostsLimiter};
  std::optional<std::int64_t> found_;  // as the limiter had it
};

}  // namespace rocktune::agent
