// The operations that wait for one of the threads of a replay, in their order.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/trace_record.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "model/clock.h"
#include "scenario/workload/operation.h"

namespace rocktune::bench {

struct DueOperation {
  Nanoseconds due{0};
  scenario::Operation kind = scenario::Operation::kRead;
  std::size_t bytes = 0;
  std::unique_ptr<rocksdb::TraceRecord> record;
};

class OperationQueue {
 public:
  void push(DueOperation operation) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(operation));
    changed_.notify_one();
  }
  // Nothing more comes.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }
  // Waits for the next one; nothing when there is none any more.
  std::optional<DueOperation> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<DueOperation> waiting_;
  bool ended_ = false;
};

}  // namespace rocktune::bench
