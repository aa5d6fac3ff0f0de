// How bytes are shared out below a rate: a token bucket, and weighted fair queueing before it.
//
// Pure: no threads, no clock (the time is passed in and must not run backwards), no allocation.
//
// - The bucket fills at the rate and holds one burst: 50 ms of it, between 16 KiB and 8 MiB. So in
//   any time T no more than rate * T + burst is granted (plus what a single request is larger than
//   the burst: such a one goes when the bucket is full, and what it lacks is paid afterwards).
// - Requests of a class go in the order in which they came; among the classes that wait, the one
//   goes next that had least for its weight (start-time fair queueing; Goyal, Vin, Cheng 1996). A
//   class that was away gets no arrears. Who is next is decided when the bytes are there, and not
//   before: a request that comes while others wait goes at once to where it belongs. No class
//   starves: each has its weight's share.
// - Flushes and the host's own requests weigh so much that they are as good as first in line
//   (they get here only when they are limited at all).
// - What is written without asking is charged: it is made up for with at most half of the income,
//   for at most one second's worth. Those who wait thus always have half the rate.
//
// At the rate wire::kUnlimitedBytesPerSecond and above nothing waits.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "agent/limiter/traffic.h"

namespace rocktune::agent {

class FairBudget {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // A request that waits; belongs to the caller, and must stay where it is until it was returned.
  struct Request {
    std::int64_t bytes = 0;
    Traffic traffic = Traffic::kOther;
    bool is_read = false;
    Request* next = nullptr;  // in its queue
  };

  static constexpr int kMaxL0Weight = 16;
  static constexpr int kDefaultL0Weight = 4;
  // How much one burst is at a rate.
  static std::int64_t burst_at(std::int64_t bytes_per_second) noexcept;

  // The bucket is full at first. The rate is above 0.
  FairBudget(std::int64_t bytes_per_second, TimePoint now) noexcept;

  // From now on. What is in the bucket, and what is owed, stays within the new bounds.
  void set_rate(std::int64_t bytes_per_second, TimePoint now) noexcept;
  // What level-0 compactions weigh against 1 of the deeper ones; from 1 to kMaxL0Weight.
  void set_l0_weight(int weight) noexcept;

  // Written without asking.
  void charge(std::int64_t bytes, TimePoint now) noexcept;
  void enqueue(Request& request) noexcept;
  // The next request that may go now, no longer in any queue; null when nobody may. Call until
  // then.
  Request* grant(TimePoint now) noexcept;
  // When grant() will have something, if nothing else happens; nothing when nobody waits.
  [[nodiscard]] std::optional<TimePoint> next_grant(TimePoint now) noexcept;

  // Takes the first request for which `leaves` holds out of its queue, without charging it; null
  // when there is none.
  template <class Predicate>
  Request* withdraw(Predicate leaves) noexcept;
  // Who would go next; null when nobody waits.
  [[nodiscard]] Request* next() const noexcept;

 private:
  struct Queue {
    Request* first = nullptr;
    Request* last = nullptr;
    double tag = 0;  // bytes per weight, at which its next request begins
  };

  void accrue(TimePoint now) noexcept;
  [[nodiscard]] bool unlimited() const noexcept;
  [[nodiscard]] double weight(Traffic traffic) const noexcept;
  [[nodiscard]] Queue& queue_of(Traffic traffic) noexcept;
  [[nodiscard]] const Queue* next_queue() const noexcept;
  // What has to be in the bucket for it to go.
  [[nodiscard]] double needed(const Request& request) const noexcept;

  std::int64_t rate_;
  int l0_weight_ = kDefaultL0Weight;
  double burst_;
  double tokens_;            // below 0 after a request larger than the burst
  double owed_ = 0;          // charged, and not yet made up for
  TimePoint at_;             // when tokens_ and owed_ were right
  double virtual_time_ = 0;  // the tag of the request granted last
  std::array<Queue, kTrafficClasses> queues_;
};

template <class Predicate>
FairBudget::Request* FairBudget::withdraw(Predicate leaves) noexcept {
  for (auto& queue : queues_) {
    Request* before = nullptr;
    for (Request* request = queue.first; request != nullptr; request = request->next) {
      if (leaves(*request)) {
        (before != nullptr ? before->next : queue.first) = request->next;
        if (queue.last == request) queue.last = before;
        request->next = nullptr;
        return request;
      }
      before = request;
    }
  }
  return nullptr;
}

}  // namespace rocktune::agent
