// Lines of the alert log for people. Pure. A line that is not what docs/alerts.md says is never
// thrown about: it is counted, or shown with what it has.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tools/control.h"

namespace rocktune::tools {

// "2026-01-31 12:00:00.250  orders  DECISION  ID ..." `decision`: that an actuation or an outcome
// is of, for its knob; null: not known.
std::string alert_text(const Json& line, const Json& decision = nullptr);
// The same without date and target, for lists beneath a target.
std::string brief_line(const Json& line);
// "98 % within 30.0 s": the probability of a new event that warns, which is that of half the
// horizon. A log from before there was one has that of all of it. Empty when there is neither,
// while the event holds and where it is too soon.
std::string likelihood_text(const Json& indicator);
// An event ended so lately that what comes next is the same one: the likelihood of a new one, which
// takes half a minute without, is about none and says nothing.
bool is_too_soon(const Json& indicator);

// What `rocktune alerts` shows of each line that it reads.
class AlertPrinter {
 public:
  AlertPrinter(bool json, std::set<std::string> kinds) : json_(json), kinds_(std::move(kinds)) {}

  // What to print for a line; nullopt when nothing: empty, of another kind, or malformed.
  std::optional<std::string> print(std::string_view line);
  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
  [[nodiscard]] bool all_malformed() const { return malformed_ > 0 && malformed_ == read_; }
  [[nodiscard]] const std::string& first_problem() const { return first_problem_; }

 private:
  void complain(const std::string& problem);
  void remember(const Json& line);

  bool json_;
  std::set<std::string> kinds_;
  std::uint64_t lines_ = 0;
  std::uint64_t read_ = 0, malformed_ = 0;  // of those that are not empty
  std::string first_problem_;
  std::map<std::pair<std::string, std::string>, Json> decisions_;  // by target and id
};

}  // namespace rocktune::tools
