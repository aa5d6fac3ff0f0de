#include "bench/run/runner.h"

#include <algorithm>
#include <deque>
#include <latch>
#include <thread>

#include "bench/run/worker.h"
#include "bench/time/clock.h"

namespace rocktune::bench {
namespace {

constexpr Nanoseconds kLeastTick = std::chrono::milliseconds(500);  // of a second on a busy machine
constexpr Nanoseconds kStopLook = std::chrono::milliseconds(50);    // how often for a stop

// What all phases of a workload share.
struct Run {
  Database& database;
  const scenario::Workload& workload;
  const scenario::FamilyMap families;
  const ValuePool values;
  const std::atomic<bool>& stop;
  const SecondSeen& seen;
  Nanoseconds begin;
  std::vector<scenario::Inserted> inserted;  // by thread
};

std::int64_t largest_value(const scenario::Workload& workload) {
  std::int64_t largest = workload.value_size.largest();
  for (const scenario::Phase& phase : workload.phases) {
    largest = std::max(largest, phase.value_size.largest());
  }
  return largest;
}

// What has been done up to a moment.
struct Seen {
  std::vector<Latencies> families;
  std::uint64_t not_found = 0;
  Counters counters;
  std::vector<FamilyGauges> gauges;
};

class PhaseRun {
 public:
  PhaseRun(Run& run, const scenario::Phase& phase, const scenario::KeyChooser& keys,
           std::uint64_t seed)
      : run_(run),
        phase_(phase),
        keys_(keys),
        seed_(seed),
        done_(run.inserted.size()),
        ended_(static_cast<std::ptrdiff_t>(run.inserted.size())) {
    for (std::size_t i = 0; i < done_.size(); ++i) work_.emplace_back(run.workload.families.size());
  }

  Result<PhaseResult> run() {
    start_ = std::max(monotonic_now(), run_.begin);
    end_ = start_ + Nanoseconds(static_cast<std::int64_t>(phase_.seconds * 1e9));
    const Seen at_start = look();
    std::vector<std::thread> threads;
    threads.reserve(done_.size());
    for (std::size_t i = 0; i < done_.size(); ++i) {
      threads.emplace_back([this, i] { work(i); });
    }
    PhaseResult result;
    result.phase = phase_;
    const auto [last, since] = watch(at_start, result);
    ended_.wait();
    // What a stop kept waiting beyond the end has its time, too; what counts the operations that
    // were never begun takes none of the phase's.
    const Nanoseconds now = std::max(monotonic_now(), start_);
    const Seen at_end = look();
    for (std::thread& thread : threads) thread.join();
    if (now - since >= kSecond / 2) {
      result.per_second.push_back(interval_json(between(last, at_end, since, now)));
    }
    result.total = between(at_start, at_end, start_, now);
    return finish(std::move(result));
  }

 private:
  void work(std::size_t thread) {
    const WorkerPlan plan{run_.database,  run_.workload, phase_,    keys_,  run_.families,
                          run_.values,    abandon_,      run_.stop, ended_, run_.inserted[thread],
                          seed_ + thread, start_,        end_};
    sleep_until(start_);
    done_[thread] = run_worker(plan, work_[thread]);
    if (!done_[thread].status.ok()) abandon_ = true;
  }

  // Closes an interval each second until the phase ends; returns what was seen last, and when.
  std::pair<Seen, Nanoseconds> watch(const Seen& at_start, PhaseResult& result) {
    Seen before = at_start;
    Nanoseconds since = start_;
    for (Nanoseconds due = start_ + kSecond; since < end_ && !abandon_; due += kSecond) {
      due = std::min(due, end_);
      while (monotonic_now() < due && !abandon_) {
        sleep_until(std::min(due, monotonic_now() + kStopLook));
        if (run_.stop.load()) abandon_ = true;
      }
      const Nanoseconds now = std::max(monotonic_now(), since);  // a stop may come before the start
      Seen after = look();
      const Interval second = between(before, after, since, now);
      if (run_.seen) run_.seen(phase_, second);
      result.per_second.push_back(interval_json(second));
      before = std::move(after);
      since = now;
      // On a busy machine this one may have taken much longer: what is over by now has no second of
      // its own.
      while (due + kSecond < now + kLeastTick) due += kSecond;
    }
    return {std::move(before), since};
  }

  Result<PhaseResult> finish(PhaseResult result) {
    for (std::size_t i = 0; i < done_.size(); ++i) {
      if (!done_[i].status.ok()) {
        return fail(ErrorCode::kIo, "phase " + phase_.name + ": " + done_[i].status.ToString());
      }
      result.total.never_started += done_[i].never_started;
      result.total.waiting.add(done_[i].waiting);
      result.total.any_moment.add(done_[i].any_moment);
      run_.inserted[i].count = done_[i].inserted;
    }
    return result;
  }

  [[nodiscard]] Seen look() const {
    Seen seen;
    seen.families.resize(run_.workload.families.size());
    for (const LiveWork& mine : work_) {
      for (std::size_t i = 0; i < seen.families.size(); ++i)
        seen.families[i].add(mine.latencies[i]);
      seen.not_found += mine.not_found.load(std::memory_order_relaxed);
    }
    seen.counters = run_.database.read_counters();
    for (std::size_t i = 0; i < seen.families.size(); ++i) {
      seen.gauges.push_back(run_.database.read_family_gauges(i));
    }
    return seen;
  }

  [[nodiscard]] Interval between(const Seen& before, const Seen& after, Nanoseconds since,
                                 Nanoseconds now) const {
    Interval interval;
    interval.start_seconds = seconds_between(run_.begin, since);
    interval.seconds = seconds_between(since, now);
    interval.not_found = after.not_found - before.not_found;
    interval.counters = after.counters.since(before.counters);
    interval.gauges = run_.database.read_gauges();
    const bool several = after.families.size() > 1;
    for (std::size_t i = 0; i < after.families.size(); ++i) {
      Latencies latencies = after.families[i].since(before.families[i]);
      interval.latencies.add(latencies);
      if (!several) continue;
      interval.families.push_back(
          {run_.workload.families[i].name, std::move(latencies), after.gauges[i],
           after.gauges[i].compaction_bytes_written - before.gauges[i].compaction_bytes_written});
    }
    return interval;
  }

  Run& run_;
  const scenario::Phase& phase_;
  const scenario::KeyChooser& keys_;
  const std::uint64_t seed_;
  std::atomic<bool> abandon_{false};  // the caller's stop, or a failure here
  std::deque<LiveWork> work_;         // each written by its thread
  std::vector<WorkerDone> done_;      // each written by its thread, read after the join
  std::latch ended_;                  // by every thread, before what it counts afterwards
  Nanoseconds start_{0};
  Nanoseconds end_{0};
};

std::vector<scenario::Inserted> nothing_inserted(const scenario::Workload& workload) {
  std::vector<scenario::Inserted> inserted;
  const auto threads = static_cast<std::uint64_t>(workload.threads);
  inserted.reserve(threads);
  for (std::uint64_t thread = 0; thread < threads; ++thread) {
    inserted.push_back({static_cast<std::uint64_t>(workload.records), thread, threads, 0});
  }
  return inserted;
}

}  // namespace

Result<PhasesDone> run_phases(Database& database, const scenario::Workload& workload,
                              const std::atomic<bool>& stop, const SecondSeen& seen,
                              std::optional<Nanoseconds> begin) {
  const auto records = static_cast<std::uint64_t>(workload.records);
  auto seed = static_cast<std::uint64_t>(workload.seed);
  std::deque<scenario::KeyChooser> keys;  // made beforehand: some take a while
  for (const scenario::Phase& phase : workload.phases) keys.emplace_back(phase.keys, records);
  Run run{database,
          workload,
          scenario::FamilyMap(workload.families, records),
          ValuePool(largest_value(workload), seed),
          stop,
          seen,
          begin.value_or(monotonic_now()),
          nothing_inserted(workload)};
  PhasesDone done;
  seed *= 1000003;
  for (std::size_t i = 0; i < workload.phases.size() && !stop.load(); ++i) {
    auto result = PhaseRun(run, workload.phases[i], keys[i], seed).run();
    if (!result) return tl::unexpected(result.error());
    seed += static_cast<std::uint64_t>(workload.threads);
    done.phases.push_back(std::move(*result));
  }
  done.stopped = stop.load();
  return done;
}

}  // namespace rocktune::bench
