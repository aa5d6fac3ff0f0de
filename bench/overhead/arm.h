// One of the processes that are measured against each other in a round: it stands still but for the
// turns that it is given. What it did is related to the time of its turns.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/overhead/host_run.h"
#include "bench/overhead/poller.h"
#include "bench/overhead/started_host.h"
#include "model/result.h"

namespace rocktune::bench {

struct ArmKind {
  std::int64_t poll_milliseconds = 0;  // 0: without the agent
  bool op_trace = false;               // its operations are recorded
};

class Arm {
 public:
  // `host` has just said that it is ready, and works; from now on it waits for its turn.
  Arm(StartedHost host, const ArmKind& kind);
  ~Arm();
  Arm(const Arm&) = delete;
  Arm& operator=(const Arm&) = delete;

  void start_polling();
  // Its operations go to that directory from now on. It works meanwhile.
  Result<void> record_to(const std::string& directory);
  // Goes on for so long.
  void turn(double seconds);
  // Ends it; what it did in all its turns. An Error when its agent answered no poll, or a recording
  // has ended before.
  Result<HostRun> finish();
  [[nodiscard]] std::uint64_t polls() const { return polls_; }  // once it is finished

 private:
  Result<double> end_recording();

  StartedHost host_;
  const ArmKind kind_;
  std::optional<Poller> poller_;
  double turns_seconds_ = 0;  // of all turns
  std::uint64_t polls_ = 0;
};

}  // namespace rocktune::bench
