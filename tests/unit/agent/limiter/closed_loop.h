// Background jobs as the limiter sees them: each asks, waits, works for a while and asks again. In
// simulated time, from one grant or arrival to the next.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "agent/limiter/fair_budget.h"

namespace rocktune::agent::testing {

using TimePoint = FairBudget::TimePoint;
using std::chrono::nanoseconds;

class ClosedLoop {
 public:
  struct Job {
    Traffic traffic = Traffic::kOther;
    std::function<std::int64_t()> bytes;
    nanoseconds thinks{0};  // between a grant and the next request

    FairBudget::Request request{};
    TimePoint asked{};
    TimePoint asks_next{};
    bool waiting = false;
    std::int64_t granted_bytes = 0;
    nanoseconds longest_wait{0};
  };
  struct Grant {
    TimePoint at;
    std::int64_t bytes = 0;
  };

  ClosedLoop(FairBudget& budget, TimePoint start) : budget_(budget), now_(start) {}

  Job& add(Traffic traffic, std::int64_t bytes, nanoseconds thinks = {}) {
    return add(traffic, [bytes] { return bytes; }, thinks);
  }
  Job& add(Traffic traffic, std::function<std::int64_t()> bytes, nanoseconds thinks = {}) {
    auto& job = jobs_.emplace_back();
    job.traffic = traffic;
    job.bytes = std::move(bytes);
    job.thinks = thinks;
    job.asks_next = now_;
    return job;
  }

  void run(nanoseconds duration) {
    const TimePoint end = now_ + duration;
    for (;;) {
      ask();
      take_grants();
      if (can_ask()) continue;
      const TimePoint next = next_event(end);
      if (next >= end) break;
      now_ = next;
    }
    now_ = end;
  }

  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] const std::vector<Grant>& grants() const { return grants_; }
  [[nodiscard]] std::int64_t granted_bytes() const {
    std::int64_t sum = 0;
    for (const auto& grant : grants_) sum += grant.bytes;
    return sum;
  }

 private:
  [[nodiscard]] bool can_ask() const {
    for (const auto& job : jobs_) {
      if (!job.waiting && job.asks_next <= now_) return true;
    }
    return false;
  }
  void ask() {
    for (auto& job : jobs_) {
      if (job.waiting || job.asks_next > now_) continue;
      job.waiting = true;
      job.asked = now_;
      job.request = {};
      job.request.bytes = job.bytes();
      job.request.traffic = job.traffic;
      budget_.enqueue(job.request);
    }
  }
  void take_grants() {
    while (auto* const request = budget_.grant(now_)) {
      for (auto& job : jobs_) {
        if (&job.request != request) continue;
        job.waiting = false;
        job.granted_bytes += request->bytes;
        job.longest_wait = std::max(job.longest_wait, nanoseconds(now_ - job.asked));
        job.asks_next = now_ + job.thinks;
        grants_.push_back({now_, request->bytes});
      }
    }
  }
  [[nodiscard]] TimePoint next_event(TimePoint end) {
    TimePoint next = budget_.next_grant(now_).value_or(end);
    for (const auto& job : jobs_) {
      if (!job.waiting) next = std::min(next, job.asks_next);
    }
    return next;
  }

  FairBudget& budget_;
  TimePoint now_;
  std::deque<Job> jobs_;  // requests must not move
  std::vector<Grant> grants_;
};

}  // namespace rocktune::agent::testing
