#include "tools/decision_story.h"

#include <algorithm>

#include "tools/json_fields.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

// Decisions without an actuation (advise mode) do not pile up.
constexpr std::size_t kMostOpen = 1000;

std::string value_at(const Json& line, const char* key, const std::string& knob) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_integer()) return "?";
  return knob_text(knob, found->get<std::int64_t>());
}

std::string knob_of(const Json& decision) {
  const std::string family = text_at(decision, "column_family");
  return text_at(decision, "knob") + (family.empty() ? "" : " of " + family);
}

std::string clock_time(const Json& line) {
  std::string time = text_at(line, "time");
  std::replace(time.begin(), time.end(), 'T', ' ');
  return time;
}

std::string guard_text(const Json& decision, const std::string& knob) {
  const Json& verdict = object_at(decision, "verdict");
  std::string text = text_at(verdict, "kind");
  if (text == "clamped") text += " to " + value_at(verdict, "value", knob);
  const std::string rule = text_at(verdict, "rule");
  return rule.empty() ? text : text + " by " + rule + ": " + text_at(verdict, "reason");
}

std::string expected_text(const Json& decision) {
  const Json& expected = object_at(decision, "expected");
  const std::string feature = text_at(expected, "feature");
  if (feature.empty()) return "nothing that could be measured";
  std::string text = feature;
  text += text_at(expected, "direction") == "higher" ? " rises" : " falls";
  if (const auto from = number_at(expected, "baseline")) {
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
  std::string text = text_at(story.actuation, "status") + " " +
                     value_at(story.actuation, "before", knob) + " -> " +
                     value_at(story.actuation, "after", knob) + ", " + clock_time(story.actuation);
  const std::string reason = text_at(story.actuation, "reason");
  return reason.empty() ? text : text + ": " + reason;
}

std::string came_text(const DecisionStory& story) {
  if (story.outcome.is_null()) return story.applied() ? "not judged yet, or cut off" : "";
  std::string text = text_at(story.outcome, "result");
  const std::string reason = text_at(story.outcome, "reason");
  return reason.empty() ? text : text + ": " + reason;
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
      text += " (limit " + feature_text(feature, *limit) + ")";
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

DecisionStory* DecisionStories::find(const Id& id) {
  const auto found = std::find_if(stories_.rbegin(), stories_.rend(), [&](const auto& story) {
    return text_at(story.decision, "id") == id.second &&
           text_at(story.decision, "target") == id.first;
  });
  return found == stories_.rend() ? nullptr : &*found;
}

void DecisionStories::add(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || text_at(object, "kind").empty()) {
    ++malformed_;
    return;
  }
  const Id id{text_at(object, "target"), text_at(object, "id")};
  if (!wanted_.target.empty() && id.first != wanted_.target) return;
  const std::string kind = text_at(object, "kind");
  if (kind == "decision") add_decision(object, id);
  if (kind == "actuation") add_actuation(object, id);
  if (kind != "outcome") return;
  if (DecisionStory* story = find(id)) story->outcome = object;
}

void DecisionStories::add_decision(const Json& line, const Id& id) {
  DecisionStory story{line, nullptr, nullptr, ""};
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
  if (!wanted_.id.empty()) {  // of an earlier run
    std::erase_if(stories_,
                  [&](const auto& old) { return text_at(old.decision, "target") == id.first; });
  }
  stories_.push_back(std::move(story));
  if (stories_.size() > wanted_.most) stories_.pop_front();
}

void DecisionStories::add_actuation(const Json& line, const Id& id) {
  if (DecisionStory* story = find(id)) story->actuation = line;
  const auto open = open_.extract(id);
  if (open.empty() || text_at(line, "status") != "applied") return;
  const Knob& knob = open.mapped().knob;
  const auto before = applied_.find(knob);
  if (open.mapped().rollback && before != applied_.end()) {
    if (DecisionStory* story = find({id.first, before->second})) story->taken_back_by = id.second;
  }
  applied_[knob] = id.second;
}

StoryWords story_words(const DecisionStory& story) {
  const Json& decision = story.decision;
  const std::string knob = text_at(decision, "knob");
  StoryWords words;
  words.what = knob_of(decision) + " " + value_at(decision, "from", knob) + " -> " +
               value_at(decision, "to", knob);
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
    lines.push_back("  then      taken back by " + story.taken_back_by);
  }
  return lines;
}

std::vector<std::string> story_table(const std::deque<DecisionStory>& stories) {
  std::vector<std::vector<std::string>> rows;
  for (const DecisionStory& story : stories) {
    const Json& decision = story.decision;
    const std::string knob = text_at(decision, "knob");
    const bool done = !story.actuation.is_null();
    const std::string to =
        done ? value_at(story.actuation, "after", knob)
             : value_at(object_at(decision, "verdict"), story.allowed() ? "value" : "", knob);
    rows.push_back(
        {clock_time(decision).substr(0, 19), text_at(decision, "target"), text_at(decision, "id"),
         knob_of(decision) + " " + value_at(decision, "from", knob) + " -> " +
             (story.allowed() ? to : value_at(decision, "to", knob)),
         state_text(story), "[" + text_at(decision, "rule") + "] " + text_at(decision, "reason")});
  }
  return table(rows, "");
}

Json story_json(const DecisionStory& story) {
  return {
      {"decision", story.decision},
      {"actuation", story.actuation},
      {"outcome", story.outcome},
      {"taken_back_by", story.taken_back_by.empty() ? Json(nullptr) : Json(story.taken_back_by)}};
}

}  // namespace rocktune::tools
