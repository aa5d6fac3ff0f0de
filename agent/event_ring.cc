#include "agent/event_ring.h"

#include <time.h>

#include <algorithm>
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
    events_.emplace_back(event);
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
  const auto first = std::ranges::upper_bound(events_, after, {}, &PackedEvent::sequence);
  const auto kept = static_cast<std::size_t>(events_.end() - first);
  // A reader that is ahead of us has seen another database's events: it has missed nothing here.
  const std::uint64_t above = after < next_ ? next_ - 1 - after : 0;
  answer.missed = above - std::min<std::uint64_t>(above, kept);
  const auto count = std::min({kept, limit, kMostInOneAnswer});
  answer.events.reserve(count);
  for (auto it = first; answer.events.size() < count; ++it) answer.events.push_back(it->unpack());
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
  for (const auto& packed : events_) {
    if (packed.kind() != kind) continue;
    auto event = packed.unpack();
    if (!event.words.contains(word)) found.push_back(std::move(event));
  }
  return found;
}

void EventRing::complete(std::uint64_t sequence, const std::map<std::string, std::string>& words,
                         const std::string& without) {
  const std::lock_guard lock(mutex_);
  const auto it = std::ranges::lower_bound(events_, sequence, {}, &PackedEvent::sequence);
  if (it == events_.end() || it->sequence() != sequence) return;  // it has made room meanwhile
  auto event = it->unpack();
  for (const auto& [name, text] : words) event.words.emplace(name, text);
  event.numbers.erase(without);
  *it = PackedEvent(event);
}

}  // namespace rocktune::agent
