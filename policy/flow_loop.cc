#include "policy/flow_loop.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"

namespace rocktune {
namespace {

constexpr double kFlowEvaluationSeconds = 15;
constexpr double kStopsSeconds = StopPattern::kSeconds;
// With so few memtables RocksDB delays nothing before it stops: it begins at the last but one of
// more than three (db/column_family.cc, GetWriteStallConditionAndCause).
constexpr double kUndelayedBuffers = 3;
// A rate within these of what is accepted is left alone.
constexpr double kTooFast = 1.5, kTooSlow = 0.5;
constexpr double kLeastFlowShare = 0.0625;   // of what was found: RocksDB never goes above the knob
constexpr double kFlowComfortSeconds = 300;  // then what was found comes back
constexpr double kAcceptedSeconds = 60;      // over which what is accepted is looked at...
constexpr double kFlowHistorySeconds = 20;   // ...and at least

// A stop that no delay comes before.
bool stops_undelayed(const Features& f) {
  if (only_buffers_are_full(f)) return true;
  const auto stall = find_write_stall(f);
  return stall && stall->cause == "memtables" && f.max_write_buffers.value_or(0) > 0 &&
         *f.max_write_buffers <= kUndelayedBuffers;
}

}  // namespace

std::optional<Proposal> FlowLoop::give_back(const Situation& situation,
                                            const KnobReading& reading) const {
  const bool ours = reading.owner == KnobOwner::kRocktune && reading.value != reading.found;
  if (!ours || situation.comfortable_seconds < kFlowComfortSeconds) return std::nullopt;
  Proposal out = propose(reading, reading.found, "flow.returned");
  out.reason = "no backlog for " + text::duration(situation.comfortable_seconds) +
               ": the next slowdown may be another one";
  out.expected = no_more_stalls(situation, kFlowEvaluationSeconds);
  return out;
}

void FlowLoop::look(const Situation& situation) {
  const Features& f = situation.features;
  const Nanoseconds now = situation.now;
  // Idle time says nothing of what could have been accepted; stopped time does.
  const bool stops = f.write_stopped.value_or(0) > 0;
  if (f.user_write_bytes_per_second && (stops || *f.user_write_bytes_per_second > 0)) {
    written_.add(now, *f.user_write_bytes_per_second);
  }
  if (f.write_stopped) {
    const bool counts = stops && !stops_undelayed(f);
    stops_.note(now, counts ? *f.write_stopped : 0);
    if (counts && !stop_began_) stop_began_ = now;
    if (!stops && within(stop_began_, now, kStopsSeconds)) {
      earlier_ended_ = std::exchange(stop_ended_, now);
    }
    if (!stops) stop_began_.reset();
  }
  if (f.delayed_bytes_per_second) delayed_.add(now, *f.delayed_bytes_per_second);
  for (Trend* trend : {&written_, &delayed_}) trend->expire(now);
  stops_.expire(now);
}

// One stop is no pattern, and one that lasts says nothing of what could be accepted, nor comes a
// delay before its end.
bool FlowLoop::stops_in_turns(Nanoseconds now) const {
  return stops_.holds() && within(stop_ended_, now, kStopsSeconds) &&
         within(earlier_ended_, now, kAcceptedSeconds) &&
         stops_.span_seconds() >= kFlowHistorySeconds;
}

std::optional<Proposal> FlowLoop::decide(const Situation& situation) {
  const Features& f = situation.features;
  look(situation);
  const KnobReading* reading = changeable_knob(f, knob::kDelayedWriteRate);
  const Value accepted = written_.mean(kAcceptedSeconds);
  if (reading == nullptr) return {};
  if (rate_ != reading->value) {  // what was seen at another rate
    stops_.clear();
    stop_began_.reset();
    stop_ended_.reset();
    earlier_ended_.reset();
  }
  rate_ = reading->value;
  if (auto back = give_back(situation, *reading)) return back;
  if (!accepted || written_.span_seconds() < kFlowHistorySeconds) return {};
  const auto rate = static_cast<double>(reading->value);
  const double least = std::max(static_cast<double>(std::max<std::int64_t>(1, reading->min)),
                                kLeastFlowShare * static_cast<double>(reading->found));
  const double wanted = std::max(*accepted, least);
  const Value delayed = delayed_.mean(5);
  const bool too_fast = stops_in_turns(situation.now) && rate > kTooFast * wanted;
  // What was accepted before a delay for pending bytes is what made them: that may be slow, as slow
  // as it was found.
  const auto stall = find_write_stall(f);
  const bool by_debt = stall && stall->cause == "pending_bytes";
  const double lifted = by_debt ? std::min(wanted, static_cast<double>(reading->found)) : wanted;
  const bool too_slow = f.delayed_bytes_per_second && delayed && *delayed < kTooSlow * *accepted &&
                        rate < kTooSlow * lifted;
  if (!too_fast && !too_slow) return std::nullopt;
  Proposal out = propose(*reading, static_cast<std::int64_t>(too_fast ? wanted : lifted),
                         too_fast ? "flow.even" : "flow.collapse");
  out.reason = too_fast ? "writes were stopped " + text::percent(stops_.share()) +
                              " of the last 30 s: a delay at the " + text::rate(*accepted) +
                              " that were accepted is more even than one at " + text::rate(rate)
                        : "writes are delayed to " + text::rate(delayed.value_or(0)) + ", and " +
                              text::rate(*accepted) + " were accepted over the last " +
                              text::duration(std::min(written_.span_seconds(), kAcceptedSeconds)) +
                              (by_debt ? ": for pending bytes no faster than was found" : "");
  out.expected = no_more_stalls(situation, kFlowEvaluationSeconds);
  out.evidence = {{"user_write_bytes_per_second", *accepted, std::nullopt}};
  if (f.delayed_bytes_per_second) {
    out.evidence.push_back({"delayed_bytes_per_second", *f.delayed_bytes_per_second, rate});
  }
  return out;
}

}  // namespace rocktune
