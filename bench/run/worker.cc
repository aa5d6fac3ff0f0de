#include "bench/run/worker.h"

#include <algorithm>
#include <memory>

#include "bench/run/moments.h"
#include "bench/run/pacer.h"
#include "bench/time/clock.h"

namespace rocktune::bench {
namespace {

// A thread that waits for a far-off due time looks this often whether it should stop.
constexpr Nanoseconds kLongestNap = std::chrono::milliseconds(50);
// Of operations that were never begun so many are drawn, at even distances, and stand for all: some
// ten milliseconds of a thread.
constexpr std::uint64_t kMostDrawn = 1 << 16;

rocksdb::WriteOptions write_options(scenario::Wal wal) {
  rocksdb::WriteOptions options;
  options.disableWAL = wal == scenario::Wal::kOff;
  options.sync = wal == scenario::Wal::kSync;
  return options;
}

class Worker {
 public:
  Worker(const WorkerPlan& plan, LiveWork& work)
      : plan_(plan),
        work_(work),
        requests_(plan.phase, plan.keys, plan.inserted, plan.seed),
        write_options_(write_options(plan.workload.wal)),
        may_miss_(plan.workload.may_miss()) {}

  WorkerDone run() {
    sharpen_sleep();
    Pacer pacer(scenario::Rate(plan_.phase.rate, plan_.phase.seconds),
                static_cast<std::int64_t>(plan_.inserted.thread), plan_.workload.threads,
                plan_.start, plan_.end);
    Moments moments(plan_.phase.mix, plan_.start, plan_.end);
    WorkerDone done;
    Nanoseconds now = monotonic_now();
    while (now < plan_.end && !stopping()) {
      const Nanoseconds due = pacer.next(now);
      if (due >= plan_.end || !wait_until(due)) break;
      const scenario::Request request = requests_.next(seconds_between(plan_.start, due));
      const std::size_t family = plan_.families.of(request.record);
      done.status = execute(request, plan_.database.family(family));
      now = monotonic_now();
      if (!done.status.ok()) break;
      work_.record(family, request.operation, now - due);
      if (pacer.paced()) continue;
      moments.done(request.operation, now - due, now,
                   [&done](scenario::Operation kind, Nanoseconds latency) {
                     done.any_moment.of[static_cast<std::size_t>(kind)].record(latency);
                   });
    }
    plan_.ended.count_down();
    count_waiting(pacer, done);
    done.inserted = requests_.inserted().count;
    return done;
  }

 private:
  // What was due and never begun would have taken at least as long as it had waited by the end. It
  // counts as inserted too, so that the next phase's keys do not depend on how much it was: where
  // the phase inserts, all are drawn. Of very many a stop leaves the rest uncounted.
  void count_waiting(Pacer& pacer, WorkerDone& done) {
    const Nanoseconds until = std::min(monotonic_now(), plan_.end);
    done.never_started = pacer.never_started(until);
    const bool inserts = plan_.phase.mix[scenario::Operation::kInsert] > 0;
    const std::uint64_t each = inserts ? 1 : 1 + done.never_started / kMostDrawn;
    constexpr std::uint64_t kAtLeast = 1 << 20;
    for (std::uint64_t i = 0; i < done.never_started; i += each) {
      if (i >= kAtLeast && plan_.interrupted.load(std::memory_order_relaxed)) return;
      const Nanoseconds due = pacer.next(until);
      pacer.skip(each - 1);
      const scenario::Request request = requests_.next(seconds_between(plan_.start, due));
      done.waiting.of[static_cast<std::size_t>(request.operation)].record(
          until - due, std::min(each, done.never_started - i));
    }
  }

  [[nodiscard]] bool stopping() const { return plan_.stop.load(std::memory_order_relaxed); }

  bool wait_until(Nanoseconds due) {
    for (Nanoseconds now = monotonic_now(); now < due; now = monotonic_now()) {
      if (stopping()) return false;
      sleep_until(std::min(due, now + kLongestNap));
    }
    return true;
  }

  rocksdb::Status execute(const scenario::Request& request, rocksdb::ColumnFamilyHandle& family) {
    rocksdb::DB& db = plan_.database.db();
    const rocksdb::Slice key = record_key(request.record, key_);
    switch (request.operation) {
      case scenario::Operation::kRead:
        return read(family, key);
      case scenario::Operation::kReadMissing:
        return read_missing(family, missing_key(request.record, key_));
      case scenario::Operation::kScan:
        return scan(family, key, request.scan_length);
      case scenario::Operation::kDelete:
        return db.Delete(write_options_, &family, key);
      case scenario::Operation::kReadModifyWrite:
        if (auto status = read(family, key); !status.ok()) return status;
        break;
      case scenario::Operation::kUpdate:
      case scenario::Operation::kInsert:
        break;
    }
    return db.Put(write_options_, &family, key,
                  plan_.values.value(request.value_seed, request.value_bytes));
  }

  // A record that is not there is counted where the workload takes records away or adds new ones,
  // and a failure where every record has been loaded.
  rocksdb::Status read(rocksdb::ColumnFamilyHandle& family, const rocksdb::Slice& key) {
    value_.Reset();
    auto status = plan_.database.db().Get(rocksdb::ReadOptions(), &family, key, &value_);
    if (!status.IsNotFound()) return status;
    work_.count_not_found();
    if (may_miss_) return rocksdb::Status::OK();
    return rocksdb::Status::NotFound(
        key, "a loaded record is gone: did a workload with deletes run on this database?");
  }

  rocksdb::Status read_missing(rocksdb::ColumnFamilyHandle& family, const rocksdb::Slice& key) {
    value_.Reset();
    auto status = plan_.database.db().Get(rocksdb::ReadOptions(), &family, key, &value_);
    if (status.IsNotFound()) return rocksdb::Status::OK();
    return status.ok() ? rocksdb::Status::Corruption(key, "nobody wrote this key") : status;
  }

  // Touches what it passes, as a reader of it would.
  rocksdb::Status scan(rocksdb::ColumnFamilyHandle& family, const rocksdb::Slice& from,
                       std::int64_t length) {
    const std::unique_ptr<rocksdb::Iterator> at(
        plan_.database.db().NewIterator(rocksdb::ReadOptions(), &family));
    std::int64_t left = length;
    for (at->Seek(from); at->Valid() && left > 0; at->Next()) {
      scanned_bytes_ += at->key().size() + at->value().size();
      --left;
    }
    return at->status();
  }

  const WorkerPlan& plan_;
  LiveWork& work_;
  scenario::RequestSource requests_;
  const rocksdb::WriteOptions write_options_;
  const bool may_miss_;
  std::string key_;
  rocksdb::PinnableSlice value_;
  std::uint64_t scanned_bytes_ = 0;
};

}  // namespace

WorkerDone run_worker(const WorkerPlan& plan, LiveWork& work) {
  return Worker(plan, work).run();
}

}  // namespace rocktune::bench
