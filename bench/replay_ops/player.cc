#include "bench/replay_ops/player.h"

#include <rocksdb/utilities/replayer.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "bench/replay_ops/pace.h"
#include "bench/replay_ops/queue.h"
#include "bench/replay_ops/routing.h"
#include "bench/replay_ops/trace_reader.h"
#include "bench/time/clock.h"

namespace rocktune::bench {
namespace {

constexpr Nanoseconds kLead = std::chrono::milliseconds(100);  // to start all threads
// What lies further ahead is not read yet; this is time enough for a disk.
constexpr Nanoseconds kReadAhead = std::chrono::seconds(1);
// Operations that may wait, late ones included: some 300 MB of small records; and what is in them.
constexpr std::int64_t kMostWaiting = 1'000'000, kMostWaitingBytes = 256 << 20;
constexpr Nanoseconds kReplayNap = std::chrono::milliseconds(50);  // how often for a stop
constexpr Nanoseconds kBriefNap = std::chrono::milliseconds(1);

// What is in the trace, before it is replayed.
struct Extent {
  std::uint64_t operations = 0, unknown = 0;
  std::uint64_t last_us = 0;
  bool one_writer = false;
};

// What has been done up to a moment.
struct Done {
  Latencies latencies;
  Counters counters;
};

class Player {
 public:
  Player(Database& database, const ReplayPlan& plan, const std::atomic<bool>& stop,
         const SecondSeen& seen)
      : database_(database),
        plan_(plan),
        stop_(stop),
        seen_(seen),
        queues_(static_cast<std::size_t>(plan.threads)) {
    for (std::size_t i = 0; i < queues_.size(); ++i) work_.emplace_back(1);
  }

  Result<Replayed> run() {
    if (auto opened = open(); !opened) return tl::unexpected(opened.error());
    const auto extent = look_through();
    if (!extent) return tl::unexpected(extent.error());
    one_writer_ = extent->one_writer;
    Replayed result;
    result.phase.phase = plan_.phase;
    result.one_writer = extent->one_writer;
    result.operations = extent->operations;
    result.unknown = extent->unknown;
    constexpr double kUsPerSecond = 1e6;
    const auto first_us = replayer_->GetHeaderTimestamp();
    if (extent->last_us > first_us) {
      result.recorded_seconds = static_cast<double>(extent->last_us - first_us) / kUsPerSecond;
    }
    if (const auto status = replayer_->Prepare(); !status.ok()) {
      return fail(ErrorCode::kCorrupt, plan_.trace_file + ": " + status.ToString());
    }
    begin_ = monotonic_now() + kLead;
    play(result);
    if (failure_) return tl::unexpected(*failure_);
    result.stopped = stop_.load();
    result.reader_waited_seconds = std::chrono::duration<double>(reader_waited_).count();
    return result;
  }

 private:
  Result<void> open() {
    auto reader = OpTraceReader::open(plan_.trace_file);
    if (!reader) return tl::unexpected(reader.error());
    auto status =
        database_.db().NewDefaultReplayer(database_.handles(), std::move(*reader), &replayer_);
    if (status.ok()) status = replayer_->Prepare();
    if (!status.ok()) {
      return fail(ErrorCode::kCorrupt, plan_.trace_file + ": " + status.ToString());
    }
    return {};
  }

  Result<Extent> look_through() {
    Extent extent;
    std::unique_ptr<rocksdb::TraceRecord> record;
    while (!stop_) {
      const auto status = replayer_->Next(&record);
      if (status.IsNotSupported()) ++extent.unknown;
      if (status.IsIncomplete()) break;
      if (!status.ok() && !status.IsNotSupported()) {
        return fail(ErrorCode::kCorrupt, plan_.trace_file + ": " + status.ToString());
      }
      if (!status.ok()) continue;
      ++extent.operations;
      extent.last_us = std::max<std::uint64_t>(extent.last_us, record->GetTimestamp());
      if (extent.one_writer || record->GetTraceType() != rocksdb::kTraceWrite) continue;
      const auto& write = static_cast<const rocksdb::WriteQueryTraceRecord&>(*record);
      extent.one_writer = !only_key_of(write);
    }
    return extent;
  }

  void play(Replayed& result) {
    const Done at_begin = look();
    std::vector<std::thread> threads;
    threads.reserve(queues_.size() + 1);
    running_ = queues_.size();
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      threads.emplace_back([this, i] {
        work(i);
        --running_;
      });
    }
    threads.emplace_back([this] { read(); });
    watch(at_begin, result.phase);
    for (auto& thread : threads) thread.join();
    result.phase.total = between(at_begin, look(), begin_, std::max(monotonic_now(), begin_));
  }

  // The thread that reads the trace.
  void read() {
    RecordedPace pace(replayer_->GetHeaderTimestamp(), plan_.speed, begin_);
    std::unique_ptr<rocksdb::TraceRecord> record;
    while (!abandon_) {
      const auto status = replayer_->Next(&record);
      if (status.IsNotSupported()) continue;
      if (!status.ok()) {
        if (!status.IsIncomplete()) give_up(plan_.trace_file + ": " + status.ToString());
        break;
      }
      const Nanoseconds due = pace.due(record->GetTimestamp());
      if (!wait_until(due - kReadAhead) || !wait_for_room()) break;
      ++waiting_;
      const std::size_t bytes = bytes_of(*record);
      waiting_bytes_ += static_cast<std::int64_t>(bytes);
      const auto thread = thread_of(*record, queues_.size(), one_writer_);
      const scenario::Operation kind = kind_of(*record);
      queues_[thread].push({due, kind, bytes, std::move(record)});
    }
    for (auto& queue : queues_) queue.end();
  }

  bool wait_for_room() {
    const Nanoseconds since = monotonic_now();
    while ((waiting_ >= kMostWaiting || waiting_bytes_ >= kMostWaitingBytes) && !abandon_) {
      sleep_until(monotonic_now() + kBriefNap);
    }
    reader_waited_ += monotonic_now() - since;
    return !abandon_;
  }

  void work(std::size_t thread) {
    sharpen_sleep();
    while (auto operation = queues_[thread].pop()) {
      --waiting_;
      waiting_bytes_ -= static_cast<std::int64_t>(operation->bytes);
      if (!wait_until(operation->due)) return;
      const auto status = replayer_->Execute(operation->record, nullptr);
      if (!status.ok()) {
        return give_up("an operation failed: " + status.ToString() +
                       (status.IsCorruption()
                            ? " (of a column family that was created after the checkpoint?)"
                            : ""));
      }
      work_[thread].record(0, operation->kind, monotonic_now() - operation->due);
    }
  }

  bool wait_until(Nanoseconds due) {
    for (Nanoseconds now = monotonic_now(); now < due && !abandon_; now = monotonic_now()) {
      sleep_until(std::min(due, now + kReplayNap));
    }
    return !abandon_;
  }

  void give_up(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = Error{ErrorCode::kIo, why};
    abandon_ = true;
  }

  // Closes an interval each second until every operation is done.
  void watch(const Done& at_begin, PhaseResult& result) {
    Done before = at_begin;
    Nanoseconds since = begin_;
    while (running_ > 0) {
      const Nanoseconds due = since + kSecond;
      while (running_ > 0 && monotonic_now() < due) {
        if (stop_) abandon_ = true;
        sleep_until(std::min(due, monotonic_now() + kReplayNap));
      }
      const Nanoseconds now = std::max(monotonic_now(), since);
      Done after = look();
      const Interval second = between(before, after, since, now);
      if (seen_) seen_(plan_.phase, second);
      result.per_second.push_back(interval_json(second));
      before = std::move(after);
      since = now;
    }
  }

  [[nodiscard]] Done look() const {
    Done done;
    for (const LiveWork& mine : work_) done.latencies.add(mine.latencies.front());
    done.counters = database_.read_counters();
    return done;
  }

  [[nodiscard]] Interval between(const Done& before, const Done& after, Nanoseconds since,
                                 Nanoseconds now) const {
    Interval interval;
    interval.start_seconds = seconds_between(begin_, since);
    interval.seconds = seconds_between(since, now);
    interval.latencies = after.latencies.since(before.latencies);
    interval.counters = after.counters.since(before.counters);
    interval.gauges = database_.read_gauges();
    return interval;
  }

  Database& database_;
  const ReplayPlan& plan_;
  const std::atomic<bool>& stop_;
  const SecondSeen& seen_;
  std::unique_ptr<rocksdb::Replayer> replayer_;
  bool one_writer_ = false;
  Nanoseconds begin_{0};
  std::deque<OperationQueue> queues_;  // by thread
  std::deque<LiveWork> work_;          // each written by its thread
  std::atomic<std::int64_t> waiting_{0}, waiting_bytes_{0};
  std::atomic<std::size_t> running_{0};
  std::atomic<bool> abandon_{false};  // the caller's stop, or a failure here
  Nanoseconds reader_waited_{0};      // the reading thread's
  std::mutex mutex_;
  std::optional<Error> failure_;
};

}  // namespace

Result<Replayed> replay_operations(Database& database, const ReplayPlan& plan,
                                   const std::atomic<bool>& stop, const SecondSeen& seen) {
  return Player(database, plan, stop, seen).run();
}

}  // namespace rocktune::bench
