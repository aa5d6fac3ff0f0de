#include "daemon/events/notes.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::daemon {
namespace {

constexpr std::size_t kMostKnobsNamed = 8;
constexpr Nanoseconds kStallsEvery = std::chrono::seconds(60);
constexpr Nanoseconds kErrorsEvery = std::chrono::seconds(10);

std::optional<std::int64_t> number(const DatabaseEvent& event, const char* name) {
  const auto found = event.numbers.find(name);
  return found == event.numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string of_family(const DatabaseEvent& event) {
  return event.column_family.empty() ? "" : " of " + event.column_family;
}

bool done(const std::string& status) {
  return status.empty() || status == "applied" || status == "unchanged";
}

// "max_background_jobs 8 -> 2", and what went wrong.
std::string return_text(const DatabaseEvent& event) {
  std::string text = word(event, "knob") + of_family(event);
  const auto before = number(event, "before");
  const auto after = number(event, "after");
  if (before && after) {
    text += " " + shown(word(event, "knob"), *before);
    if (*after != *before) text += " -> " + shown(word(event, "knob"), *after);
  }
  const std::string status = word(event, "status");
  if (done(status)) return text;
  const std::string reason = word(event, "reason");
  return text + " (" + status + (reason.empty() ? "" : ": " + reason) + ")";
}

std::string cause_of_return(const std::string& why) {
  if (why == "lease_expired") return "no daemon held it any longer";
  return why == "closing" ? "the database, or the column family, was being closed" : why;
}

std::string stall_text(const DatabaseEvent& event) {
  std::string text = word(event, "condition");
  if (const std::string was = word(event, "before"); !was.empty()) text = was + " -> " + text;
  if (const std::string cause = word(event, "cause"); !cause.empty()) text += " (" + cause + ")";
  return text + of_family(event);
}

// Stalls last from microseconds to hours.
std::string span_text(double seconds) {
  return seconds < 120 ? text::microseconds(seconds * 1e6) : text::duration(seconds);
}

}  // namespace

std::string word(const DatabaseEvent& event, const char* name) {
  const auto found = event.words.find(name);
  return found == event.words.end() ? std::string() : found->second;
}

void EventNotes::add(const DatabaseEvent& event, bool before_us) {
  if (event.kind == event::kChange) return add_change(event, before_us);
  if (event.kind == event::kStall && !before_us) return add_stall(event);
  if (event.kind == event::kBackgroundError || event.kind == event::kErrorRecovery) {
    add_error(event);
  }
}

void EventNotes::add_change(const DatabaseEvent& event, bool before_us) {
  const std::string why = word(event, "why");
  // Another daemon that set a knob has read, and told of, what was returned before. This one sets
  // some while it is still reading.
  if (why == "request" && before_us) returns_.clear();
  if (why != "lease_expired" && why != "closing") return;
  Returns& returns = returns_[why];
  returns.wall = event.at.wall;
  returns.failed = returns.failed || !done(word(event, "status"));
  if (returns.knobs.size() < kMostKnobsNamed) {
    returns.knobs.push_back(return_text(event));
  } else {
    ++returns.more;
  }
}

void EventNotes::add_stall(const DatabaseEvent& event) {
  if (!stalls_) stalls_ = Stalls{0, "", 0, event.at.wall, {}};
  ++stalls_->changes;
  // What is told after the change that followed it is over already.
  const bool late = !word(event, "late").empty();
  if (!late) stalls_->last = stall_text(event);
  if (stalls_->last.empty()) stalls_->last = stall_text(event) + ", and over already";
  stalls_->last_wall = event.at.wall;
  if (word(event, "before") != "normal") {  // what ends now had lasted so long
    stalls_->longest_us = std::max(stalls_->longest_us, number(event, "before_us").value_or(0));
  }
}

void EventNotes::add_error(const DatabaseEvent& event) {
  if (error_) {
    ++more_errors_;
    return;
  }
  const bool recovery = event.kind == event::kErrorRecovery;
  std::string message = recovery ? "recovery from an error of RocksDB" : "error in RocksDB";
  for (const char* name : {"phase", "reason", "status", "whose"}) {
    if (const std::string text = word(event, name); !text.empty()) message += ", " + text;
  }
  error_ = EventNote{event.kind, std::move(message), event.at.wall};
}

std::vector<EventNote> EventNotes::take(bool caught_up, Nanoseconds now, bool last) {
  std::vector<EventNote> notes;
  if (last) {
    error_said_.reset();
    stalls_said_.reset();
  }
  if (caught_up || last) take_returns(notes);
  take_errors(notes, now);
  take_stalls(notes, now);
  return notes;
}

void EventNotes::take_returns(std::vector<EventNote>& notes) {
  for (const auto& [why, returns] : std::exchange(returns_, {})) {
    std::string message = returns.failed ? "the agent could not return every knob to what was found"
                                         : "the agent returned to what was found";
    message += ", since " + cause_of_return(why) + ": ";
    for (std::size_t i = 0; i < returns.knobs.size(); ++i) {
      message += (i == 0 ? "" : ", ") + returns.knobs[i];
    }
    if (returns.more > 0) message += ", and " + std::to_string(returns.more) + " more";
    notes.push_back({std::string(event::kChange), std::move(message), returns.wall});
  }
}

void EventNotes::take_errors(std::vector<EventNote>& notes, Nanoseconds now) {
  if (!error_ || (error_said_ && now - *error_said_ < kErrorsEvery)) return;
  error_said_ = now;
  EventNote note = *std::exchange(error_, std::nullopt);
  if (more_errors_ > 0) note.message += "; " + std::to_string(more_errors_) + " more since";
  more_errors_ = 0;
  notes.push_back(std::move(note));
}

void EventNotes::take_stalls(std::vector<EventNote>& notes, Nanoseconds now) {
  if (!stalls_ || (stalls_said_ && now - *stalls_said_ < kStallsEvery)) return;
  stalls_said_ = now;
  const Stalls stalls = *std::exchange(stalls_, std::nullopt);
  std::string message = "writes: " + stalls.last;
  const double over = std::chrono::duration<double>(stalls.last_wall - stalls.since_wall).count();
  if (stalls.changes > 1) {
    message += "; " + std::to_string(stalls.changes) + " changes ";
    message += over > 0 ? "in " + span_text(over) : "at once";
  }
  if (stalls.longest_us > 0) {
    const double longest = static_cast<double>(stalls.longest_us) / 1e6;
    const bool begun_before = stalls.changes > 1 && longest > over;
    message += std::string(", the longest stall") + (begun_before ? ", begun before, " : " ") +
               span_text(longest);
  }
  notes.push_back({std::string(event::kStall), std::move(message), stalls.last_wall});
}

}  // namespace rocktune::daemon
