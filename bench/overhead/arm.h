// One of the processes that are measured against each other in a round: it stands still but for the
// turns that it is given. What it did is related to the time of its turns.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/overhead/host_run.h"
#include "bench/overhead/poller.h"
#include "bench/overhead/started_host.h"
#include "model/result.h"

namespace rocktune::bench {

class Arm {
 public:
  // `host` has just said that it is ready, and works; from now on it waits for its turn. Not polled
  // where `poll_milliseconds` is 0.
  Arm(StartedHost host, std::int64_t poll_milliseconds);
  ~Arm();
  Arm(const Arm&) = delete;
  Arm& operator=(const Arm&) = delete;

  [[nodiscard]] std::int64_t poll_milliseconds() const { return poll_milliseconds_; }
  void start_polling();
  // Goes on for so long.
  void turn(double seconds);
  // Ends it; what it did in all its turns. An Error when its agent answered no poll.
  Result<HostRun> finish();
  [[nodiscard]] std::uint64_t polls() const { return polls_; }  // once it is finished

 private:
  StartedHost host_;
  const std::int64_t poll_milliseconds_;
  std::optional<Poller> poller_;
  double turns_seconds_ = 0;  // of all turns
  std::uint64_t polls_ = 0;
};

}  // namespace rocktune::bench
