#include "bench/overhead/arm.h"

#include <chrono>
#include <thread>
#include <utility>

namespace rocktune::bench {

using std::chrono::duration;
using std::chrono::steady_clock;

Arm::Arm(StartedHost host, std::int64_t poll_milliseconds)
    : host_(std::move(host)), poll_milliseconds_(poll_milliseconds) {
  turn(0);  // since it works already
}

// A poller waits for an answer, which comes only from a process that runs.
Arm::~Arm() {
  host_.resume();
}

void Arm::start_polling() {
  if (poll_milliseconds_ == 0) return;
  poller_.emplace(host_.socket(), std::chrono::milliseconds(poll_milliseconds_));
}

void Arm::turn(double seconds) {
  const auto begin = steady_clock::now();
  host_.resume();
  std::this_thread::sleep_until(begin + duration<double>(seconds));
  host_.pause();
  turns_seconds_ += duration<double>(steady_clock::now() - begin).count();
}

// The signal waits for the process to go on, whose workload then ends before it does anything more.
Result<HostRun> Arm::finish() {
  host_.finish();
  host_.resume();
  const auto line = host_.wait_for_line();
  if (poller_) polls_ = poller_->polls();
  poller_.reset();
  if (!line) return tl::unexpected(line.error());
  if (poll_milliseconds_ > 0 && polls_ == 0) {
    return fail(ErrorCode::kUnavailable, "the agent answered no poll");
  }
  auto run = parse_host_run(*line);
  if (run) run->ops_per_second = run->operations / turns_seconds_;
  return run;
}

}  // namespace rocktune::bench
