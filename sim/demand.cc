#include "sim/demand.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace rocktune::sim {
namespace {

// Levels before and after a stall that differ by no more are one level.
constexpr double kSameLevel = 0.1;
// Above the level before by so much, for so long, is catching up; and it ends some time.
constexpr double kFasterThanBefore = 1.05;
constexpr double kLeastCatchUpSeconds = 2, kMostCatchUpSeconds = 60;
// The share of writes among the operations in stalls is no further from that outside where one
// queue feeds both.
constexpr double kSameMix = 0.15;

struct Amounts {
  double reads = 0, writes = 0, seconds = 0;
  void add(const DemandInterval& interval) {
    reads += interval.reads_per_second * interval.seconds;
    writes += interval.writes_per_second * interval.seconds;
    seconds += interval.seconds;
  }
  [[nodiscard]] double read_rate() const { return seconds > 0 ? reads / seconds : 0; }
  [[nodiscard]] double write_rate() const { return seconds > 0 ? writes / seconds : 0; }
  [[nodiscard]] double writing() const {
    return reads + writes > 0 ? writes / (reads + writes) : 0;
  }
};

// Intervals [begin, end) are held back; up to `caught_up` more is done than before.
struct Stall {
  std::size_t begin = 0, end = 0, caught_up = 0;
  std::optional<Amounts> before, after;
};

// Over free intervals that reach back (or forth) from a stall, until the next one or long enough.
template <class Iterator>
std::optional<Amounts> level(Iterator from, const Iterator& end) {
  Amounts amounts;
  for (; from != end && !from->held_back && amounts.seconds < kDemandLookSeconds; ++from) {
    amounts.add(*from);
  }
  return amounts.seconds > 0 ? std::optional(amounts) : std::nullopt;
}

// Where more is done than before the stall for a while, and then no more: else another level has
// begun.
std::size_t caught_up(std::span<const DemandInterval> intervals, const Stall& stall) {
  if (!stall.before) return stall.end;
  const double faster = kFasterThanBefore * stall.before->write_rate();
  double seconds = 0;
  std::size_t i = stall.end;
  for (; i < intervals.size() && seconds < kMostCatchUpSeconds; ++i) {
    if (intervals[i].held_back || intervals[i].writes_per_second <= faster) break;
    seconds += intervals[i].seconds;
  }
  const bool over =
      i < intervals.size() && !intervals[i].held_back && seconds < kMostCatchUpSeconds;
  return over && seconds >= kLeastCatchUpSeconds ? i : stall.end;
}

Stall stall_at(std::span<const DemandInterval> intervals, std::size_t begin) {
  Stall stall;
  stall.begin = stall.end = begin;
  while (stall.end < intervals.size() && intervals[stall.end].held_back) ++stall.end;
  const auto offset = [](std::size_t count) { return static_cast<std::ptrdiff_t>(count); };
  stall.before = level(intervals.rend() - offset(begin), intervals.rend());
  stall.caught_up = caught_up(intervals, stall);
  stall.after = level(intervals.begin() + offset(stall.caught_up), intervals.end());
  return stall;
}

double between(double before, double after, double share) {
  if (std::abs(after - before) <= kSameLevel * std::max(before, after)) {
    return (before + after) / 2;
  }
  return before + (after - before) * share;
}

// What was asked for in the stall and until it was caught up is what was done in that time.
void spread(const Stall& stall, std::span<const DemandInterval> intervals, DemandSeries& demand) {
  Amounts done;
  for (std::size_t i = stall.begin; i < stall.caught_up; ++i) done.add(intervals[i]);
  for (std::size_t i = stall.begin; i < stall.caught_up; ++i) {
    demand.arrivals[i].writes_per_second = done.write_rate();
    if (demand.one_queue) demand.arrivals[i].reads_per_second = done.read_rate();
  }
}

void go_on(const Stall& stall, std::span<const DemandInterval> intervals, const Amounts& free,
           DemandSeries& demand) {
  const Amounts& first = stall.before ? *stall.before : stall.after ? *stall.after : free;
  const Amounts& last = stall.after ? *stall.after : first;
  const auto length = static_cast<double>(stall.end - stall.begin);
  for (std::size_t i = stall.begin; i < stall.end; ++i) {
    const double share = (static_cast<double>(i - stall.begin) + 0.5) / length;
    const DemandInterval& done = intervals[i];
    Arrivals& asked = demand.arrivals[i];
    asked.writes_per_second =
        std::max(done.writes_per_second, between(first.write_rate(), last.write_rate(), share));
    if (!demand.one_queue) continue;
    asked.reads_per_second =
        std::max(done.reads_per_second, between(first.read_rate(), last.read_rate(), share));
  }
}

constexpr double kMostThreads = 1024;  // beyond that nothing changes, and a reading may be anything

double threads_of(std::span<const DemandInterval> intervals) {
  double most = 0, seconds = 0, busy = 0;
  bool known = false;
  for (std::size_t begin = 0, end = 0; end < intervals.size(); ++end) {
    known = known || intervals[end].busy_threads;
    seconds += intervals[end].seconds;
    busy += intervals[end].seconds * intervals[end].busy_threads.value_or(0);
    while (begin < end && seconds - intervals[begin].seconds >= kThreadsLookSeconds) {
      seconds -= intervals[begin].seconds;
      busy -= intervals[begin].seconds * intervals[begin].busy_threads.value_or(0);
      ++begin;
    }
    const bool last = end + 1 == intervals.size();
    if (seconds > 0 && (last || seconds >= kThreadsLookSeconds)) {
      most = std::max(most, busy / seconds);
    }
  }
  return known ? std::clamp(std::ceil(most), 1.0, kMostThreads) : kUnknownThreads;
}

}  // namespace

DemandSeries recorded_demand(std::span<const DemandInterval> intervals) {
  DemandSeries demand;
  Amounts free, held;
  std::vector<Stall> stalls;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const DemandInterval& interval = intervals[i];
    demand.seconds.push_back(interval.seconds);
    demand.arrivals.push_back({interval.reads_per_second, interval.writes_per_second});
    (interval.held_back ? held : free).add(interval);
    if (interval.held_back && (i == 0 || !intervals[i - 1].held_back)) {
      stalls.push_back(stall_at(intervals, i));
    }
  }
  const double seconds = free.seconds + held.seconds;
  if (seconds > 0) demand.known_ratio = free.seconds / seconds;
  demand.one_queue = held.seconds > 0 && free.reads > 0 && free.writes > 0 &&
                     std::abs(held.writing() - free.writing()) <= kSameMix;
  const auto caught_up =
      static_cast<std::size_t>(std::count_if(stalls.begin(), stalls.end(), [](const Stall& stall) {
        return stall.caught_up > stall.end;
      }));
  demand.catches_up = caught_up > 0 && 2 * caught_up >= stalls.size();
  for (const Stall& stall : stalls) {
    if (demand.catches_up && stall.caught_up > stall.end) {
      spread(stall, intervals, demand);
    } else {
      go_on(stall, intervals, free, demand);
    }
  }
  const double threads = threads_of(intervals);
  for (Arrivals& asked : demand.arrivals) {
    asked.threads = threads;
    asked.one_queue = demand.one_queue;
    asked.catches_up = demand.catches_up;
  }
  return demand;
}

}  // namespace rocktune::sim
