#include "bench/run/runner.h"

#include <algorithm>
#include <thread>

#include "bench/run/worker.h"
#include "bench/time/clock.h"

namespace rocktune::bench {
namespace {

constexpr Nanoseconds kSecond = std::chrono::seconds(1);

class PhaseRun {
 public:
  PhaseRun(Database& database, const Workload& workload, const Phase& phase,
           const ScrambledZipfian& zipfian, const ValuePool& values, const std::atomic<bool>& stop)
      : database_(database),
        workload_(workload),
        phase_(phase),
        zipfian_(zipfian),
        values_(values),
        stop_(stop),
        latencies_(static_cast<std::size_t>(workload.threads)),
        done_(latencies_.size()) {}

  Result<PhaseResult> run(double start_seconds, std::uint64_t seed, const SecondSeen& seen) {
    start_ = monotonic_now();
    end_ = start_ + Nanoseconds(static_cast<std::int64_t>(phase_.seconds * 1e9));
    counters_ = database_.read_counters();
    const Counters at_start = counters_;
    std::vector<std::thread> threads;
    threads.reserve(latencies_.size());
    for (std::size_t i = 0; i < latencies_.size(); ++i) {
      threads.emplace_back([this, i, seed] { work(i, seed); });
    }
    PhaseResult result;
    result.phase = phase_;
    watch(start_seconds, seen, result);
    for (std::thread& thread : threads) thread.join();
    return finish(start_seconds, at_start, std::move(result));
  }

 private:
  void work(std::size_t thread, std::uint64_t seed) {
    const WorkerPlan plan{database_.db(),
                          workload_,
                          phase_,
                          zipfian_,
                          values_,
                          abandon_,
                          static_cast<std::int64_t>(thread),
                          seed + thread,
                          start_,
                          end_};
    done_[thread] = run_worker(plan, latencies_[thread]);
    if (!done_[thread].status.ok()) abandon_ = true;
  }

  // Closes an interval each second until the phase ends.
  void watch(double start_seconds, const SecondSeen& seen, PhaseResult& result) {
    Latencies before;
    Nanoseconds since = start_;
    for (Nanoseconds due = start_ + kSecond; since < end_ && !abandon_; due += kSecond) {
      due = std::min(due, end_);
      while (monotonic_now() < due && !abandon_) {
        sleep_until(std::min(due, monotonic_now() + std::chrono::milliseconds(50)));
        if (stop_.load()) abandon_ = true;
      }
      const Nanoseconds now = monotonic_now();
      Latencies all = sum();
      Interval second;
      second.start_seconds = start_seconds + seconds_between(start_, since);
      second.seconds = seconds_between(since, now);
      second.latencies = all.since(before);
      const Counters counters = database_.read_counters();
      second.counters = counters.since(counters_);
      second.gauges = database_.read_gauges();
      if (seen) seen(phase_, second);
      result.per_second.push_back(interval_json(second));
      before = std::move(all);
      counters_ = counters;
      since = now;
    }
  }

  Result<PhaseResult> finish(double start_seconds, const Counters& at_start, PhaseResult result) {
    Interval& total = result.total;
    total.start_seconds = start_seconds;
    total.seconds = seconds_between(start_, monotonic_now());
    total.latencies = sum();
    total.counters = database_.read_counters().since(at_start);
    total.gauges = database_.read_gauges();
    for (const WorkerDone& done : done_) {
      if (!done.status.ok()) {
        return fail(ErrorCode::kIo, "phase " + phase_.name + ": " + done.status.ToString());
      }
      total.never_started += done.never_started;
    }
    return result;
  }

  [[nodiscard]] Latencies sum() const {
    Latencies all;
    for (const LiveLatencies& mine : latencies_) all.add(mine);
    return all;
  }

  Database& database_;
  const Workload& workload_;
  const Phase& phase_;
  const ScrambledZipfian& zipfian_;
  const ValuePool& values_;
  const std::atomic<bool>& stop_;
  std::atomic<bool> abandon_{false};  // the caller's stop, or a failure here
  std::vector<LiveLatencies> latencies_;
  std::vector<WorkerDone> done_;  // each written by its thread, read after the join
  Nanoseconds start_{0};
  Nanoseconds end_{0};
  Counters counters_;
};

}  // namespace

Result<PhasesDone> run_phases(Database& database, const Workload& workload,
                              const std::atomic<bool>& stop, const SecondSeen& seen) {
  const ScrambledZipfian zipfian(static_cast<std::uint64_t>(workload.records));
  const ValuePool values(workload.value_size, static_cast<std::uint64_t>(workload.seed));
  PhasesDone done;
  double start_seconds = 0;
  auto seed = static_cast<std::uint64_t>(workload.seed) * 1000003;
  for (const Phase& phase : workload.phases) {
    if (stop.load()) break;
    PhaseRun run(database, workload, phase, zipfian, values, stop);
    auto result = run.run(start_seconds, seed, seen);
    if (!result) return tl::unexpected(result.error());
    start_seconds += result->total.seconds;
    seed += static_cast<std::uint64_t>(workload.threads);
    done.phases.push_back(std::move(*result));
  }
  done.stopped = stop.load();
  return done;
}

}  // namespace rocktune::bench
