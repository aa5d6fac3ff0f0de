// A small device, and requests that keep one busy.
#pragma once

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "bench/device/model.h"

namespace rocktune::bench::test {

inline scenario::DeviceProfile test_profile() {
  scenario::DeviceProfile profile;
  profile.name = "test";
  profile.read_bytes_per_second = 400e6;
  profile.write_bytes_per_second = 200e6;
  profile.read_iops = 50000;
  profile.write_iops = 20000;
  profile.mixing_loss = 7.1;
  return profile;
}

struct Throughput {
  double read_ops_per_second = 0;
  double write_ops_per_second = 0;
};

// `readers` and `writers` keep one request each in flight for ten seconds of device time.
inline Throughput saturate(const scenario::DeviceProfile& profile, int readers, int writers,
                           std::int64_t bytes) {
  DeviceModel model(profile);
  using Turn = std::pair<Nanoseconds, IoKind>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (int i = 0; i < readers; ++i) turns.emplace(Nanoseconds{0}, IoKind::kRead);
  for (int i = 0; i < writers; ++i) turns.emplace(Nanoseconds{0}, IoKind::kWrite);
  constexpr double kSeconds = 10;
  double reads = 0;
  double writes = 0;
  while (seconds_between(Nanoseconds{0}, turns.top().first) < kSeconds) {
    const auto [now, kind] = turns.top();
    turns.pop();
    turns.emplace(model.submit(kind, bytes, now), kind);
    (kind == IoKind::kRead ? reads : writes) += 1;
  }
  return {reads / kSeconds, writes / kSeconds};
}

}  // namespace rocktune::bench::test
