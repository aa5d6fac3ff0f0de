#include "trace/age.h"

#include <algorithm>

namespace rocktune::trace {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;  // ns
// 146 years: a tick less this fits 64 bits.
constexpr std::int64_t kMostNanoseconds = std::int64_t{1} << 62;

}  // namespace

std::optional<std::uint64_t> age_ms_at(Nanoseconds tick, std::int64_t began_ns) {
  if (!is_tick(tick) || began_ns < -kMostNanoseconds || began_ns > tick.count()) return {};
  // Unsigned, since both together may be more than 63 bits hold.
  return (static_cast<std::uint64_t>(tick.count()) - static_cast<std::uint64_t>(began_ns)) /
         kMillisecond;
}

bool Age::update(Nanoseconds tick, const Counter& age_ms) {
  constexpr std::uint64_t kMostMs = kMostNanoseconds / kMillisecond;
  if (!age_ms || *age_ms == 0 || *age_ms > kMostMs || !is_tick(tick)) {
    const bool told = !began_ns_ && fixed_ms_ == age_ms;
    began_ns_.reset();
    fixed_ms_ = age_ms;
    return told;
  }
  const std::int64_t until = tick.count() - static_cast<std::int64_t>(*age_ms) * kMillisecond;
  const std::int64_t after = until - kMillisecond;
  if (began_ns_ && *began_ns_ > after && *began_ns_ <= until) {
    after_ns_ = std::max(after_ns_, after);
    until_ns_ = std::min(until_ns_, until);
    return true;
  }
  const bool agrees =
      began_ns_ && std::max(after_ns_, after) < std::min(until_ns_, until);  // but for a guess
  after_ns_ = agrees ? std::max(after_ns_, after) : after;
  until_ns_ = agrees ? std::min(until_ns_, until) : until;
  began_ns_ = after_ns_ + (until_ns_ - after_ns_ + 1) / 2;
  fixed_ms_.reset();
  return false;
}

}  // namespace rocktune::trace
