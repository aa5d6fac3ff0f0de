#include "agent/limiter/fair_budget.h"

#include <algorithm>
#include <cmath>

#include "wire/messages.h"

namespace rocktune::agent {
namespace {

using Seconds = std::chrono::duration<double>;
using std::chrono::nanoseconds;

// Long enough for a thread to come back for more after a timer's delay, short beside a poll.
constexpr std::int64_t kBurstsPerSecond = 20;
constexpr std::int64_t kLeastBurst = std::int64_t{16} << 10;  // some blocks of direct I/O
constexpr std::int64_t kLargestBurst = std::int64_t{8} << 20;

// Over an L0 weight of 16 and 1 for the deeper ones this leaves compactions a fifth.
constexpr double kFirstInLineWeight = 64;

constexpr double kShareThatRepays = 0.5;
constexpr double kSecondsOwed = 1;

// Tokens are doubles: a time rounded to whole nanoseconds must not leave a request waiting for a
// fraction of a byte.
constexpr double kTolerance = 1;

constexpr std::size_t index(Traffic traffic) {
  return static_cast<std::size_t>(traffic);
}

}  // namespace

std::int64_t FairBudget::burst_at(std::int64_t bytes_per_second) noexcept {
  return std::clamp(bytes_per_second / kBurstsPerSecond, kLeastBurst, kLargestBurst);
}

FairBudget::FairBudget(std::int64_t bytes_per_second, TimePoint now) noexcept
    : rate_(bytes_per_second),
      burst_(static_cast<double>(burst_at(bytes_per_second))),
      tokens_(burst_),
      at_(now) {}

bool FairBudget::unlimited() const noexcept {
  return rate_ >= wire::kUnlimitedBytesPerSecond;
}

double FairBudget::weight(Traffic traffic) const noexcept {
  switch (traffic) {
    case Traffic::kFlush:
    case Traffic::kUser:
      return kFirstInLineWeight;
    case Traffic::kL0Compaction:
      return l0_weight_;
    case Traffic::kDeepCompaction:
    case Traffic::kOther:
      break;
  }
  return 1;
}

FairBudget::Queue& FairBudget::queue_of(Traffic traffic) noexcept {
  return queues_[index(traffic)];
}

double FairBudget::needed(const Request& request) const noexcept {
  return std::min(static_cast<double>(request.bytes), burst_) - kTolerance;
}

void FairBudget::accrue(TimePoint now) noexcept {
  if (now <= at_) return;
  const double income = static_cast<double>(rate_) * Seconds(now - at_).count();
  at_ = now;
  const double repaid = std::min(owed_, income * kShareThatRepays);
  owed_ -= repaid;
  tokens_ += income - repaid;
  if (tokens_ > burst_) {  // nobody takes it: it makes up for what is owed
    owed_ = std::max(0.0, owed_ - (tokens_ - burst_));
    tokens_ = burst_;
  }
}

void FairBudget::set_rate(std::int64_t bytes_per_second, TimePoint now) noexcept {
  accrue(now);
  rate_ = bytes_per_second;
  burst_ = static_cast<double>(burst_at(rate_));
  tokens_ = unlimited() ? burst_ : std::min(tokens_, burst_);
  owed_ = unlimited() ? 0 : std::min(owed_, static_cast<double>(rate_) * kSecondsOwed);
}

void FairBudget::set_l0_weight(int weight) noexcept {
  l0_weight_ = std::clamp(weight, 1, kMaxL0Weight);
}

void FairBudget::charge(std::int64_t bytes, TimePoint now) noexcept {
  if (unlimited()) return;
  accrue(now);
  owed_ = std::min(owed_ + static_cast<double>(bytes), static_cast<double>(rate_) * kSecondsOwed);
}

void FairBudget::enqueue(Request& request) noexcept {
  auto& queue = queue_of(request.traffic);
  request.next = nullptr;
  if (queue.first == nullptr) {
    queue.first = &request;
    queue.tag = std::max(queue.tag, virtual_time_);
  } else {
    queue.last->next = &request;
  }
  queue.last = &request;
}

const FairBudget::Queue* FairBudget::next_queue() const noexcept {
  const Queue* least = nullptr;
  for (const auto& queue : queues_) {
    if (queue.first != nullptr && (least == nullptr || queue.tag < least->tag)) least = &queue;
  }
  return least;
}

FairBudget::Request* FairBudget::next() const noexcept {
  const auto* const queue = next_queue();
  return queue != nullptr ? queue->first : nullptr;
}

FairBudget::Request* FairBudget::grant(TimePoint now) noexcept {
  accrue(now);
  Request* const request = next();
  if (request == nullptr) return nullptr;
  const auto bytes = static_cast<double>(request->bytes);
  if (!unlimited()) {
    if (tokens_ < needed(*request)) return nullptr;
    tokens_ -= bytes;
  }
  auto& queue = queue_of(request->traffic);
  virtual_time_ = queue.tag;
  queue.tag += bytes / weight(request->traffic);
  queue.first = request->next;
  if (queue.first == nullptr) queue.last = nullptr;
  request->next = nullptr;
  return request;
}

std::optional<FairBudget::TimePoint> FairBudget::next_grant(TimePoint now) noexcept {
  accrue(now);
  const Request* const request = next();
  if (request == nullptr) return std::nullopt;
  const double missing = needed(*request) - tokens_;
  if (unlimited() || missing <= 0) return now;
  // Half of the income repays, as long as something is owed.
  const double income = missing + std::min(missing, owed_);
  // A host may set a rate at which a request takes longer than the clock counts: ask again then.
  constexpr double kLongestSeconds = 3600;
  const double seconds = std::min(income / static_cast<double>(rate_), kLongestSeconds);
  return now + nanoseconds(std::llround(std::ceil(1e9 * seconds)));
}

}  // namespace rocktune::agent
