#include "agent/event_ring.h"

#include <time.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rocktune::agent {
namespace {

std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void EventRing::add(wire::Event event) noexcept {
  event.tick_ns = now_ns(CLOCK_MONOTONIC);
  event.wall_ns = now_ns(CLOCK_REALTIME);
  const std::lock_guard lock(mutex_);
  event.sequence = next_++;
  try {
    events_.push_back(std::move(event));
  } catch (...) {  // no memory: a gap that read() reports
  }
  if (events_.size() > kCapacity) events_.pop_front();
}

void EventRing::miss() noexcept {
  const std::lock_guard lock(mutex_);
  ++next_;
}

wire::Events EventRing::read(std::uint64_t after, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  wire::Events answer;
  answer.next_event = next_;
  const auto first = std::ranges::upper_bound(events_, after, {}, &wire::Event::sequence);
  const auto kept = static_cast<std::size_t>(events_.end() - first);
  // A reader that is ahead of us has seen another database's events: it has missed nothing here.
  const std::uint64_t above = after < next_ ? next_ - 1 - after : 0;
  answer.missed = above - std::min<std::uint64_t>(above, kept);
  const auto count = std::min({kept, limit, kMostInOneAnswer});
  answer.events.assign(first, first + static_cast<std::ptrdiff_t>(count));
  return answer;
}

std::uint64_t EventRing::next() const {
  const std::lock_guard lock(mutex_);
  return next_;
}

std::vector<wire::Event> EventRing::lacking(const std::string& kind,
                                            const std::string& word) const {
  const std::lock_guard lock(mutex_);
  std::vector<wire::Event> found;
  std::ranges::copy_if(events_, std::back_inserter(found), [&](const wire::Event& event) {
    return event.kind == kind && !event.words.contains(word);
  });
  return found;
}

void EventRing::complete(std::uint64_t sequence, const std::map<std::string, std::string>& words) {
  const std::lock_guard lock(mutex_);
  const auto it = std::ranges::lower_bound(events_, sequence, {}, &wire::Event::sequence);
  if (it == events_.end() || it->sequence != sequence) return;  // it has made room meanwhile
  for (const auto& [name, text] : words) it->words.emplace(name, text);
}

}  // namespace rocktune::agent
