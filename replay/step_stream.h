// The steps of a trace's targets in the order of time, read ahead by a thread of its own while the
// caller works on those before. Bounded: so many steps are in memory, however long the trace is.
// What the thread reads is handed over whole; the caller's side is not thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "model/result.h"
#include "trace/reader.h"

namespace rocktune::replay {

struct TargetStep {
  std::size_t target = 0;  // index
  trace::RecordedStep step;
};

class StepStream {
 public:
  // All of one trace::Reader, which nobody else may use until the stream is gone.
  explicit StepStream(std::vector<trace::Reader::Steps> targets);
  ~StepStream();
  StepStream(const StepStream&) = delete;
  StepStream& operator=(const StepStream&) = delete;

  // Of equal times the targets' in their order. The step is the caller's until the next call;
  // nullptr at the end. An error comes where it was read, after the steps before it.
  Result<TargetStep*> next();

  // Some hundred kilobytes in all, so that what one thread wrote is still in a cache when the other
  // reads it.
  static constexpr std::size_t kBatchSteps = 16;
  static constexpr std::size_t kMostBatches = 4;  // besides those that the two sides have
  // Whoever has to wait for the other sleeps until so many are there or are left: to be woken for
  // each batch takes longer than to read one.
  static constexpr std::size_t kWakesAt = kMostBatches / 2;

 private:
  // Steps go round: the memory of those that are done with is used again.
  struct Batch {
    std::vector<TargetStep> steps = std::vector<TargetStep>(kBatchSteps);
    std::size_t count = 0;
  };
  struct Pending {
    trace::RecordedStep step;
    bool there = false;
  };

  void read_all();                       // the thread's work
  bool fetch(std::size_t target);        // false: an error ends the stream
  bool hand_over();                      // false: the caller has gone
  void end(std::optional<Error> error);  // hands over what there is
  [[nodiscard]] std::optional<std::size_t> earliest() const;

  std::vector<trace::Reader::Steps> targets_;  // these three are the thread's
  std::vector<Pending> pending_;
  Batch filling_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_, used_;
  std::optional<Error> error_;
  bool ended_ = false;
  bool gone_ = false;

  Batch current_;  // the caller's
  std::size_t at_ = 0;
  std::thread thread_;
};

}  // namespace rocktune::replay
