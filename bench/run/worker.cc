#include "bench/run/worker.h"

#include <algorithm>

#include "bench/run/pacer.h"
#include "bench/time/clock.h"

namespace rocktune::bench {
namespace {

// A thread that waits for a far-off due time looks this often whether it should stop.
constexpr Nanoseconds kLongestNap = std::chrono::milliseconds(50);

class Worker {
 public:
  Worker(const WorkerPlan& plan, LiveLatencies& latencies)
      : plan_(plan), latencies_(latencies), random_(plan.seed) {}

  WorkerDone run() {
    sharpen_sleep();
    Pacer pacer(plan_.phase.ops_per_second, plan_.thread, plan_.workload.threads, plan_.start,
                plan_.end);
    WorkerDone done;
    Nanoseconds now = monotonic_now();
    while (now < plan_.end && !stopping()) {
      const Nanoseconds due = pacer.next(now);
      if (due >= plan_.end || !wait_until(due)) break;
      const Operation operation = draw();
      done.status = execute(operation);
      now = monotonic_now();
      if (!done.status.ok()) break;
      latencies_[static_cast<std::size_t>(operation)].record(now - due);
    }
    done.never_started = pacer.never_started(monotonic_now());
    return done;
  }

 private:
  [[nodiscard]] bool stopping() const { return plan_.stop.load(std::memory_order_relaxed); }

  bool wait_until(Nanoseconds due) {
    for (Nanoseconds now = monotonic_now(); now < due; now = monotonic_now()) {
      if (stopping()) return false;
      sleep_until(std::min(due, now + kLongestNap));
    }
    return true;
  }

  Operation draw() {
    const double at = random_.uniform();
    if (at < plan_.phase.mix.read) return Operation::kRead;
    if (at < plan_.phase.mix.read + plan_.phase.mix.update) return Operation::kUpdate;
    return plan_.phase.mix.read_modify_write > 0 ? Operation::kReadModifyWrite : Operation::kRead;
  }

  rocksdb::Status execute(Operation operation) {
    const std::uint64_t record =
        plan_.phase.distribution == Distribution::kZipfian
            ? plan_.zipfian.next(random_)
            : random_.below(static_cast<std::uint64_t>(plan_.workload.records));
    const rocksdb::Slice key = record_key(record, key_);
    if (operation != Operation::kUpdate) {
      value_.Reset();
      auto* family = plan_.db.DefaultColumnFamily();
      auto status = plan_.db.Get(rocksdb::ReadOptions(), family, key, &value_);
      if (!status.ok() || operation == Operation::kRead) return status;
    }
    return plan_.db.Put(rocksdb::WriteOptions(), key, plan_.values.pick(random_));
  }

  const WorkerPlan& plan_;
  LiveLatencies& latencies_;
  Random random_;
  std::string key_;
  rocksdb::PinnableSlice value_;
};

}  // namespace

WorkerDone run_worker(const WorkerPlan& plan, LiveLatencies& latencies) {
  return Worker(plan, latencies).run();
}

}  // namespace rocktune::bench
