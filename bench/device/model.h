// The arithmetic of an emulated NVMe: when does an I/O that arrives now complete?
//
// One fluid server in virtual time, first come first served. An I/O asks for
// bytes/bandwidth + 1/IOPS seconds of a device that does nothing else, stretched by
// (1 + mixing_loss/2 * share of the other direction over the last 20 ms): in balance this is
// exactly u_r + u_w + mixing_loss * u_r * u_w = 1, so mixing loses non-linearly (source 004: at
// 50/50 each direction falls to about a quarter). A latency is added to each I/O that does not
// occupy the server, since NVMe devices work on many requests at once; that of reads grows with
// the load (profile.h: ReadLatencyGrowth). Writes may be acknowledged from a buffer before they are
// done (write_buffer.h), sustained writes may fill a cache (write_cache.h), and the rates may fall
// at given times.
//
// Time is a parameter: the class reads no clock and never sleeps. `now` should not go backwards
// by more than the few microseconds that threads differ. Not thread-safe; see device.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "bench/device/stat.h"
#include "bench/device/write_buffer.h"
#include "bench/device/write_cache.h"
#include "model/clock.h"
#include "scenario/device/profile.h"

namespace rocktune::bench {

enum class IoKind { kRead = 0, kWrite = 1, kSync = 2 };

// The seconds that one request takes of a device that does nothing else, cache and growth aside.
double pure_service_seconds(const scenario::DeviceProfile& profile, IoKind kind,
                            std::int64_t bytes);

// The latency of one request on an idle device, besides its service.
double idle_latency_us(const scenario::DeviceProfile& profile, IoKind kind, std::int64_t bytes);

// By how much a read's latency grows with the shares in use (profile.h: ReadLatencyGrowth).
double read_latency_factor(const scenario::ReadLatencyGrowth& growth, double read_share,
                           double write_share);

class DeviceModel {
 public:
  explicit DeviceModel(const scenario::DeviceProfile& profile);

  // From now on the profile's degradation is timed anew. Without it, from the first request on.
  void begin(Nanoseconds now);

  // Queues one request of at most profile.max_request_bytes; returns when it completes.
  Nanoseconds submit(IoKind kind, std::int64_t bytes, Nanoseconds now);

  // Counters as the kernel keeps them: a request counts when it has completed.
  [[nodiscard]] BlockStat stat(Nanoseconds now);

  [[nodiscard]] const scenario::DeviceProfile& profile() const { return profile_; }

 private:
  struct Request {
    Nanoseconds completion{0};
    Nanoseconds arrival{0};
    IoKind kind = IoKind::kRead;
    std::int64_t bytes = 0;
    bool operator>(const Request& other) const { return completion > other.completion; }
  };

  // Takes the server for the request, and tells the latency that comes on top.
  Nanoseconds serve(IoKind kind, std::int64_t bytes, Nanoseconds start);
  double service_seconds(IoKind kind, std::int64_t bytes, Nanoseconds start);
  void degrade(Nanoseconds now);
  void complete_until(Nanoseconds now);

  scenario::DeviceProfile profile_;
  WriteCache cache_;
  WriteBuffer buffer_;
  std::optional<Nanoseconds> begun_;  // what the degradation's seconds count from
  std::size_t degraded_ = 0;          // steps of profile_.degradation that have come
  double rates_ = 1;                  // the factor of the last of them

  Nanoseconds free_at_{0};              // when the server has finished all it has
  std::array<double, 2> recent_{0, 0};  // decayed seconds of pure service, read and write
  Nanoseconds recent_at_{0};            // when recent_ was last decayed
  Nanoseconds busy_until_{0};           // end of the time with a request in flight
  Nanoseconds busy_{0};                 // that time in all, as far as it is certain
  Nanoseconds read_time_{0}, write_time_{0}, sync_time_{0};
  std::priority_queue<Request, std::vector<Request>, std::greater<>> outstanding_;
  BlockStat done_;
};

}  // namespace rocktune::bench
