#include "tools/decision_story.h"

#include <algorithm>

#include "tools/change_text.h"
#include "tools/json_fields.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

// Decisions without an actuation (advise mode) do not pile up.
constexpr std::size_t kMostOpen = 1000;
// More steps of one knob than rollbacks ever go back over.
constexpr std::size_t kMostMade = 100;

std::string clock_time(const Json& line) {
  std::string time = text_at(line, "time");
  std::replace(time.begin(), time.end(), 'T', ' ');
  return time;
}

std::string guard_text(const Json& decision, const std::string& knob) {
  const Json& verdict = object_at(decision, "verdict");
  std::string text = text_at(verdict, "kind");
  if (text == "clamped") text += " to " + knob_value_at(verdict, "value", knob);
  const std::string rule = text_at(verdict, "rule");
  return rule.empty() ? text : text + " by " + rule + ": " + text_at(verdict, "reason");
}

std::string expected_text(const Json& decision) {
  const Json& expected = object_at(decision, "expected");
  const std::string feature = text_at(expected, "feature");
  if (feature.empty()) return "nothing that could be measured";
  const bool rises = text_at(expected, "direction") == "higher";
  const auto from = number_at(expected, "baseline");
  const auto before = number_at(decision, "from"), after = number_at(decision, "to");
  // A smaller cache serves others, and should cost hits little; what is nothing cannot fall.
  const bool lowers = before && after && *after < *before;
  const bool stays = from && ((rises && lowers) || (!rises && *from <= 0));
  std::string text = feature + (stays ? " stays near " : rises ? " rises" : " falls");
  if (stays) {
    text += feature_text(feature, *from);
  } else if (from) {
    text += " from " + feature_text(feature, *from);
  }
  if (const auto window = number_at(expected, "window_seconds")) {
    text += " within " + seconds_text(*window);
  }
  return text;
}

std::string done_text(const DecisionStory& story, const std::string& knob) {
  if (story.actuation.is_null()) {
    if (!story.allowed()) return "nothing";
    return text_at(story.decision, "mode") == "act" ? "not known: the log says nothing"
                                                    : "nothing: it was advice";
  }
  const Json& actuation = story.actuation;
  const std::string text = done_words(actuation, knob) + ", " + clock_time(actuation);
  const std::string reason = text_at(actuation, "reason");
  return reason.empty() ? text : text + ": " + reason;
}

std::string came_text(const DecisionStory& story) {
  if (!story.outcome.is_null()) return outcome_text(story.outcome);
  if (!story.applied()) return "";
  return text_at(object_at(story.decision, "expected"), "feature").empty()
             ? "it is no experiment, and is not judged"
             : "not judged yet, or cut off";
}

std::string taker_text(const std::string& taken_back_by) {
  return taken_back_by == kOperator ? "the operator" : taken_back_by;
}

std::optional<std::int64_t> integer_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

// Also by an answer that is no success: what was read back is another value.
bool has_moved(const Json& actuation) {
  if (!actuation.is_object()) return false;
  if (text_at(actuation, "status") == "applied") return true;
  const auto before = integer_at(actuation, "before"), after = integer_at(actuation, "after");
  return before && after && *before != *after;
}

// In one word or two, for the table.
std::string state_text(const DecisionStory& story) {
  if (!story.allowed()) {
    const Json& verdict = object_at(story.decision, "verdict");
    return text_at(verdict, "kind") + " (" + text_at(verdict, "rule") + ")";
  }
  std::string text = story.actuation.is_null() ? "advised" : text_at(story.actuation, "status");
  if (story.actuation.is_null() && text_at(story.decision, "mode") == "act") text = "allowed";
  if (!story.outcome.is_null()) text += ", " + text_at(story.outcome, "result");
  return story.taken_back_by.empty() ? text : text + ", taken back";
}

std::vector<std::string> evidence_texts(const Json& decision) {
  std::vector<std::string> texts;
  const auto evidence = decision.find("evidence");
  if (evidence == decision.end() || !evidence->is_array()) return texts;
  for (const Json& driver : *evidence) {
    if (!driver.is_object()) continue;
    const std::string feature = text_at(driver, "feature");
    std::string text = feature;
    if (const auto value = number_at(driver, "value")) text += " " + feature_text(feature, *value);
    if (const auto limit = number_at(driver, "limit")) {
      text += (is_limit(feature, *limit) ? " (limit " : " (") + limit_text(feature, *limit) + ")";
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

bool DecisionStory::allowed() const {
  const std::string kind = text_at(object_at(decision, "verdict"), "kind");
  return kind == "allowed" || kind == "clamped";
}

bool DecisionStory::applied() const {
  return !actuation.is_null() && text_at(actuation, "status") == "applied";
}

// Only what was made is judged.
bool DecisionStory::made() const {
  return has_moved(actuation) || !outcome.is_null();
}

DecisionStory* DecisionStories::find(const Id& id) {
  const auto found = std::find_if(stories_.rbegin(), stories_.rend(), [&](const auto& story) {
    return text_at(story.decision, "id") == id.second &&
           text_at(story.decision, "target") == id.first;
  });
  return found == stories_.rend() ? nullptr : &*found;
}

void DecisionStories::add(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  ++lines_;
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || text_at(object, "kind").empty()) {
    ++malformed_;
    return;
  }
  const Id id{text_at(object, "target"), text_at(object, "id")};
  if (!id.first.empty()) targets_.insert(id.first);
  if (!wanted_.target.empty() && !is_meant(id.first, wanted_.target)) return;
  const std::string kind = text_at(object, "kind");
  if (kind == "decision") add_decision(object, id);
  if (kind == "actuation") add_actuation(object, id);
  if (kind == "manual") add_order(object, id.first);
  if (kind != "outcome") return;
  if (DecisionStory* story = find(id)) story->outcome = object;
}

void DecisionStories::add_decision(const Json& line, const Id& id) {
  DecisionStory story;
  story.decision = line;
  story.line = lines_;
  if (story.allowed()) {
    if (open_.size() >= kMostOpen) open_.clear();
    open_[id] = {{id.first, text_at(line, "knob"), text_at(line, "column_family")},
                 text_at(line, "rule").starts_with("rollback.")};
  }
  if (!wanted_.id.empty() && id.second != wanted_.id) return;
  if (wanted_.id.empty() && !wanted_.refused_too && !story.allowed()) {
    ++refused_;
    return;
  }
  if (!wanted_.id.empty()) {  // where the clock was set back
    std::erase_if(stories_,
                  [&](const auto& old) { return text_at(old.decision, "target") == id.first; });
  }
  stories_.push_back(std::move(story));
  if (stories_.size() > wanted_.most) stories_.pop_front();
}

void DecisionStories::add_actuation(const Json& line, const Id& id) {
  if (DecisionStory* story = find(id)) story->actuation = line;
  if (has_moved(line)) return made(id, line);
  if (text_at(line, "status") != "failed") open_.erase(id);  // a failed one may be made later
}

// What an operator has taken back by its id, and with it what came after it; other orders are of
// knobs.
void DecisionStories::add_order(const Json& line, const std::string& target) {
  const std::string decision = text_at(line, "decision");
  if (decision.empty()) return;
  if (DecisionStory* story = find({target, decision})) story->taken_back_by = kOperator;
  for (auto& [knob, changes] : made_) {
    if (std::get<0>(knob) != target) continue;
    const auto of = std::find_if(changes.begin(), changes.end(),
                                 [&](const Made& one) { return one.id == decision; });
    for (auto later = of; later != changes.end(); ++later) {
      if (DecisionStory* story = find({target, later->id})) story->taken_back_by = kOperator;
    }
    changes.erase(of, changes.end());
  }
}

void DecisionStories::made(const Id& id, const Json& actuation) {
  const auto open = open_.extract(id);
  const auto before = integer_at(actuation, "before"), after = integer_at(actuation, "after");
  if (open.empty() || !before || !after) return;
  if (open.mapped().rollback) return take_back(open.mapped().knob, *after, id.second);
  for (auto& [knob, changes] : made_) {  // the same id, where the clock was set back
    if (std::get<0>(knob) != id.first) continue;
    std::erase_if(changes, [&](const Made& one) { return one.id == id.second; });
  }
  std::vector<Made>& changes = made_[open.mapped().knob];
  // What stood is gone: somebody else moved the knob, or a lease's end did.
  if (!changes.empty() && changes.back().after != *before) changes.clear();
  changes.push_back({id.second, *before, *after});
  if (changes.size() > kMostMade) changes.erase(changes.begin());
}

std::vector<std::int64_t> DecisionStories::left_at(const DecisionStory& story) const {
  const Json& line = story.decision;
  const auto changes =
      made_.find({text_at(line, "target"), text_at(line, "knob"), text_at(line, "column_family")});
  std::vector<std::int64_t> values;
  if (changes == made_.end()) return values;
  for (const Made& made : changes->second) {
    if (!values.empty() || made.id == text_at(line, "id")) values.push_back(made.after);
  }
  return values;
}

// The newest changes, as far as nothing of them is left at that value: a rollback may go back in
// steps, or over several changes at once.
void DecisionStories::take_back(const Knob& knob, std::int64_t to, const std::string& by) {
  std::vector<Made>& changes = made_[knob];
  while (!changes.empty()) {
    Made& newest = changes.back();
    const bool raised = newest.before < newest.after;
    if (raised ? to > newest.before : to < newest.before) {
      newest.after = to;
      return;
    }
    if (DecisionStory* story = find({std::get<0>(knob), newest.id})) story->taken_back_by = by;
    changes.pop_back();
  }
}

StoryWords story_words(const DecisionStory& story) {
  const Json& decision = story.decision;
  const std::string knob = text_at(decision, "knob");
  StoryWords words;
  words.what = knob_called(decision) + " " + knob_value_at(decision, "from", knob) + " -> " +
               knob_value_at(decision, "to", knob);
  words.why = text_at(decision, "rule") + ": " + text_at(decision, "reason");
  words.expected = expected_text(decision);
  words.guard = guard_text(decision, knob);
  words.done = done_text(story, knob);
  words.came = came_text(story);
  words.evidence = evidence_texts(decision);
  words.state = state_text(story);
  return words;
}

std::vector<std::string> story_lines(const DecisionStory& story) {
  const Json& decision = story.decision;
  const StoryWords words = story_words(story);
  std::vector<std::string> lines;
  lines.push_back(text_at(decision, "id") + "   " + text_at(decision, "target") + "   " +
                  clock_time(decision) + "   mode " + text_at(decision, "mode"));
  lines.push_back("  what      " + words.what);
  lines.push_back("  why       " + words.why);
  std::string head = "  evidence  ";
  for (const std::string& text : words.evidence) {
    lines.push_back(head + text);
    head = "            ";
  }
  lines.push_back("  expected  " + words.expected);
  lines.push_back("  guard     " + words.guard);
  lines.push_back("  done      " + words.done);
  if (!words.came.empty()) lines.push_back("  came      " + words.came);
  if (!story.taken_back_by.empty()) {
    lines.push_back("  then      taken back by " + taker_text(story.taken_back_by));
  }
  return lines;
}

std::vector<std::string> story_table(const std::deque<DecisionStory>& stories) {
  std::vector<std::vector<std::string>> rows;
  for (const DecisionStory& story : stories) {
    const Json& decision = story.decision;
    const std::string knob = text_at(decision, "knob");
    // What was made, else what was to be made: the state says what became of it.
    const std::string to =
        has_moved(story.actuation) ? knob_value_at(story.actuation, "after", knob)
        : story.allowed()          ? knob_value_at(object_at(decision, "verdict"), "value", knob)
                                   : knob_value_at(decision, "to", knob);
    rows.push_back(
        {clock_time(decision).substr(0, 19) + "Z", text_at(decision, "target"),
         text_at(decision, "id"),
         knob_called(decision) + " " + knob_value_at(decision, "from", knob) + " -> " + to,
         state_text(story), "[" + text_at(decision, "rule") + "] " + text_at(decision, "reason")});
  }
  return table(rows, "");
}

Json story_json(const DecisionStory& story) {
  const std::string& by = story.taken_back_by;
  return {{"decision", story.decision},
          {"actuation", story.actuation},
          {"outcome", story.outcome},
          {"taken_back_by", by.empty() ? Json(nullptr) : Json(by)}};
}

}  // namespace rocktune::tools
