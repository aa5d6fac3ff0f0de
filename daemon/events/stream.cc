#include "daemon/events/stream.h"

#include <algorithm>
#include <utility>

namespace rocktune::daemon {
namespace {

// What an agent of ours sends at most, and more than it ever puts into a text: another user's
// process may call itself an agent.
constexpr std::size_t kMostEvents = 256;
constexpr std::size_t kMostFields = 32;
constexpr std::size_t kLongestText = 520;
constexpr std::size_t kMostKinds = 32;

template <class Value>
std::map<std::string, Value> bounded(const std::map<std::string, Value>& values) {
  std::map<std::string, Value> kept;
  for (const auto& [name, value] : values) {
    if (kept.size() == kMostFields) break;
    kept.emplace(name.substr(0, kLongestText), value);
  }
  return kept;
}

DatabaseEvent to_event(const wire::Event& from, const std::string& incarnation) {
  DatabaseEvent to;
  to.incarnation = incarnation;
  to.number = from.sequence;
  to.at = {Nanoseconds(from.wall_ns), Nanoseconds(from.tick_ns)};
  to.kind = from.kind.substr(0, kLongestText);
  to.column_family = from.column_family.substr(0, kLongestText);
  to.numbers = bounded(from.numbers);
  to.words = bounded(from.words);
  for (auto& [name, text] : to.words) text.resize(std::min(text.size(), kLongestText));
  return to;
}

}  // namespace

void EventStream::opened(const std::string& incarnation, Nanoseconds tick) {
  next_ = 0;
  if (incarnation == incarnation_) return;
  incarnation_ = incarnation;
  followed_since_ = tick;
  read_ = 0;
  failure_.reset();
}

std::optional<std::uint64_t> EventStream::wanted() const {
  return next_ > read_ + 1 ? std::optional(read_) : std::nullopt;
}

void EventStream::take(const wire::Events& answer, const Instant& now) {
  next_ = answer.next_event;
  std::size_t taken = 0;
  for (const wire::Event& event : answer.events) {
    if (event.sequence <= read_) continue;
    if (taken++ == kMostEvents) return;
    miss(event.sequence, now);
    read_ = event.sequence;
    add(to_event(event, incarnation_), 1);
  }
  if (taken == 0) miss(next_, now);
}

// Nothing is left of those before `number`.
void EventStream::miss(std::uint64_t number, const Instant& now) {
  if (number <= read_ + 1) return;
  const std::uint64_t events = number - 1 - read_;
  read_ = number - 1;
  DatabaseEvent missed{incarnation_, read_, now, std::string(event::kMissed), "", {}, {}};
  missed.numbers["events"] = static_cast<std::int64_t>(events);
  add(std::move(missed), events);
}

void EventStream::add(DatabaseEvent event, std::uint64_t events) {
  const bool known = counts_.count(event.kind) > 0;
  counts_[known || counts_.size() < kMostKinds ? event.kind : "other"] += events;
  note_failure(event);
  notes_.add(event, event.at.tick < followed_since_);
  selection_.add(std::move(event));
}

void EventStream::note_failure(const DatabaseEvent& event) {
  const std::string status = word(event, "status");
  if (event.kind == event::kErrorRecovery && word(event, "phase") == "end") {
    if (status.empty() || status == "OK") failure_.reset();
  }
  if (event.kind != event::kBackgroundError || failure_) return;  // the first one says why
  const std::string reason = word(event, "reason");
  failure_ = {event.at.wall, reason + (reason.empty() || status.empty() ? "" : ", ") + status};
}

std::vector<EventNote> EventStream::to_say(Nanoseconds now, bool last) {
  return notes_.take(!wanted().has_value(), now, last);
}

}  // namespace rocktune::daemon
