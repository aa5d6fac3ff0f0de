// Which of many operations are measured, and how many each one stands for: what costs a clock
// reading and a place in a histogram is done for all of few operations and for some of many.
//
// Every stratum of `weight` operations in a row has one, at a random place, that is measured and
// counts `weight` times: each operation has the same chance, no pattern of the workload can fall in
// step with it, and counts and sums are right in expectation. The weight is a power of two. A new
// interval (that is, a poll) begins with the one that would have measured kPerInterval to twice
// that many operations in the interval before; within an interval it doubles when far more come. A
// thread with fewer than 2 * kPerInterval operations between two polls thus measures them all.
//
// Error: with m measured operations of one weight, the rank of the P99 read from them has a
// standard error of sqrt(0.99 * 0.01 / m): 0.44 percentage points at kPerInterval, and less by the
// root of the number of busy threads.
//
// Thread-safety: one thread at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace rocktune::agent {

class Thinning {
 public:
  static constexpr std::uint32_t kPerInterval = 512;
  static constexpr std::uint32_t kMaxWeight = 64;  // what is left to save beyond is below 2 ns

  // How many operations this one stands for; 0: it is not to be measured. `interval` differs from
  // the last one's when there was a poll in between.
  std::uint32_t take(std::uint32_t interval) noexcept {
    if (interval == interval_ && --left_ > 0) [[likely]] {
      return 0;
    }
    return next(interval);
  }

  // The same in two halves, for an operation that is timed: skip() for those that are not measured,
  // of which there are many and which shall cost next to nothing, and where it is false begin(). At
  // the operation's end comes end(), which is take() if there was no begin().
  bool skip(std::uint32_t interval) noexcept {
    if (interval != interval_ || left_ <= 1) [[unlikely]] {
      return false;
    }
    --left_;
    begun_ = 0;
    return true;
  }
  bool begin(std::uint32_t interval) noexcept { return (begun_ = take(interval)) != 0; }
  // Whether end() would answer 0 and need not be called.
  bool skip_end(std::uint32_t interval) noexcept { return begun_ == 0 && skip(interval); }
  // The weight of the operation that was begun, or take() if none was.
  std::uint32_t end(std::uint32_t interval) noexcept {
    const std::uint32_t weight = begun_;
    begun_ = 0;
    return weight != 0 ? weight : take(interval);
  }

 private:
  [[gnu::noinline]] std::uint32_t next(std::uint32_t interval) noexcept {
    if (interval != interval_) {
      const bool adjacent = interval == interval_ + 1;
      begin_interval(interval, adjacent ? measured_ : 0);
      if (--left_ > 0) return 0;
    }
    const std::uint32_t weight = weight_;
    measured_ += weight;
    if (measured_ / weight >= 4 * kPerInterval && weight < kMaxWeight) weight_ *= 2;
    // To the end of this stratum, and then to a random place in the next.
    const std::uint32_t rest = to_end_;
    left_ = rest + place();
    return weight;
  }

  void begin_interval(std::uint32_t interval, std::uint32_t before) noexcept {
    interval_ = interval;
    measured_ = 0;
    weight_ = std::clamp(std::bit_floor(before / kPerInterval), 1U, kMaxWeight);
    left_ = place();
  }

  // 1 to weight_: where in its stratum the operation to measure lies.
  std::uint32_t place() noexcept {
    random_ ^= random_ << 13;  // xorshift32 (Marsaglia, "Xorshift RNGs", 2003)
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    const std::uint32_t at = (random_ >> 8) & (weight_ - 1);
    to_end_ = weight_ - 1 - at;
    return at + 1;
  }

  std::uint32_t interval_ = UINT32_MAX;
  std::uint32_t left_ = 0;      // operations up to and with the next one to be measured
  std::uint32_t to_end_ = 0;    // operations after it in its stratum
  std::uint32_t weight_ = 1;    // of the next one
  std::uint32_t measured_ = 0;  // sum of the weights in this interval
  std::uint32_t begun_ = 0;
  std::uint32_t random_ =
      0x9e3779b9U ^ static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) >> 4);
};

}  // namespace rocktune::agent
