// A decision's story out of the alert log: why, on what evidence, what was expected, what the guard
// made of it, what was done and what came. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/control.h"

namespace rocktune::tools {

// In DecisionStory::taken_back_by, of `rocktune rollback ID`.
inline constexpr std::string_view kOperator = "operator";

struct DecisionStory {
  Json decision, actuation, outcome;  // lines of the log; null: there is none
  std::string taken_back_by;          // the id of the rollback that was applied, or kOperator
  std::uint64_t line = 0;             // of the decision, among those that are not empty

  [[nodiscard]] bool allowed() const;  // or clamped
  [[nodiscard]] bool applied() const;  // as the agent answered
  // The knob was moved: applied, at once or late, or read back as another value.
  [[nodiscard]] bool made() const;
};

// Collects stories from the lines of a log, in their order. Databases may have the same id; where a
// clock was set back one database may, too: then the newest counts, and what follows belongs to it.
class DecisionStories {
 public:
  struct Wanted {
    std::string id, target;    // empty: any
    bool refused_too = false;  // held and rejected ones
    std::size_t most = 1000;   // the newest of them
  };
  explicit DecisionStories(Wanted wanted) : wanted_(std::move(wanted)) {}

  void add(std::string_view line);
  [[nodiscard]] const std::deque<DecisionStory>& stories() const { return stories_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }  // that are not empty
  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }  // that were left out
  // Names of all databases that the log tells of, wanted or not.
  [[nodiscard]] const std::set<std::string>& targets() const { return targets_; }
  // Where this change and those that followed it left their knob, as far as they stand.
  [[nodiscard]] std::vector<std::int64_t> left_at(const DecisionStory& story) const;

 private:
  using Id = std::pair<std::string, std::string>;                  // target and id
  using Knob = std::tuple<std::string, std::string, std::string>;  // target, knob, family
  [[nodiscard]] DecisionStory* find(const Id& id);
  void add_decision(const Json& line, const Id& id);
  void add_actuation(const Json& line, const Id& id);
  void add_order(const Json& line, const std::string& target);
  void made(const Id& id, const Json& actuation);
  void take_back(const Knob& knob, std::int64_t to, const std::string& by);

  Wanted wanted_;
  std::deque<DecisionStory> stories_;
  std::set<std::string> targets_;
  struct Open {  // an allowed decision of which is not known yet that it was made
    Knob knob;
    bool rollback = false;
  };
  std::map<Id, Open> open_;
  struct Made {
    std::string id;
    std::int64_t before = 0, after = 0;
  };
  std::map<Knob, std::vector<Made>> made_;  // changes that stand, the newest last; bounded
  std::uint64_t lines_ = 0, malformed_ = 0, refused_ = 0;
};

// One in words, part by part: empty where there is nothing to say.
struct StoryWords {
  std::string what, why, expected, guard, done, came;
  std::vector<std::string> evidence;
  std::string state;  // all that came of it in a word or two
};
StoryWords story_words(const DecisionStory& story);

// What `rocktune explain ID` prints of one, and `rocktune explain` of each.
std::vector<std::string> story_lines(const DecisionStory& story);
std::vector<std::string> story_table(const std::deque<DecisionStory>& stories);
// {"decision", "actuation", "outcome", "taken_back_by"}; null where there is none.
Json story_json(const DecisionStory& story);

}  // namespace rocktune::tools
