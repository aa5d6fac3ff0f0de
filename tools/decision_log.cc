#include "tools/decision_log.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "tools/follow.h"
#include "tools/json_fields.h"

namespace rocktune::tools {
namespace {

// Why there is nothing to take back.
std::string not_made_text(const DecisionStory& story) {
  std::string why = story_words(story).state;
  if (const std::string reason = text_at(story.actuation, "reason"); !reason.empty()) {
    why += ": " + reason;
  }
  return "decision " + text_at(story.decision, "id") + " was not made, by what the log says (" +
         why + "): there is nothing to take back; `rocktune rollback " +
         text_at(story.decision, "knob") + "` returns the knob to what was found";
}

// Where logrotate has put what was in the log before; empty: nowhere.
std::string rotated_log(const std::string& log) {
  std::string older = log + ".1";
  std::error_code ignored;
  return std::filesystem::is_regular_file(older, ignored) ? older : "";
}

// "; what was logged before is in FILE.1 (--log FILE.1)", where there is one.
std::string rotated_text(const std::string& log) {
  const std::string older = rotated_log(log);
  return older.empty() ? "" : "; what was logged before is in " + older + " (--log " + older + ")";
}

}  // namespace

Result<DecisionStories> read_stories(const std::string& log,
                                     const DecisionStories::Wanted& wanted) {
  auto follower = FileFollower::open(log);
  if (!follower) {
    Error error = follower.error();
    error.message += "; name it with --log, or in ROCKTUNE_ALERT_LOG";
    return tl::unexpected(std::move(error));
  }
  DecisionStories stories(wanted);
  const auto whole = follower->read_all([&](const std::string& line) { stories.add(line); });
  if (!whole) return tl::unexpected(whole.error());
  if (stories.malformed() > 0 && stories.malformed() == stories.lines()) {
    return tl::unexpected(no_alert_log(log));
  }
  return stories;
}

Error no_alert_log(const std::string& file) {
  return {ErrorCode::kCorrupt,
          file + " is no alert log: none of its lines is one (`rocktune report` reads traces)"};
}

std::string no_decision_text(const std::string& log, const std::string& target) {
  return "no decision" + (target.empty() ? "" : " of " + target) + " in " + log + rotated_text(log);
}

Error no_such_decision(const std::string& log, const DecisionStories::Wanted& wanted) {
  const std::string of = wanted.target.empty() ? "" : " of " + wanted.target;
  const std::string older = rotated_log(log);
  return {ErrorCode::kNotFound,
          log + " has no decision " + wanted.id + of + "; an older log may (--log " +
              (older.empty() ? "FILE" : older) +
              "), or it could not be written (`rocktune status` "
              "tells)" +
              (wanted.target.starts_with('/') ? ", or the database has a name: the log has that, "
                                                "not its path"
                                              : "")};
}

std::optional<Error> no_such_target(const std::string& log, const std::string& target,
                                    const DecisionStories& stories) {
  if (target.empty()) return std::nullopt;
  std::string names;
  for (const std::string& name : stories.targets()) {
    if (is_meant(name, target)) return std::nullopt;
    names += (names.empty() ? "" : ", ") + name;
  }
  return Error{ErrorCode::kNotFound, log + " tells of no database " + target +
                                         (names.empty() ? "" : "; it tells of " + names) +
                                         rotated_text(log)};
}

Result<RollbackOrder> rollback_order(const std::string& log,
                                     const DecisionStories::Wanted& wanted) {
  const auto read = read_stories(log, wanted);
  if (!read) return tl::unexpected(read.error());
  const auto& stories = read->stories();
  if (stories.empty()) {
    Error none = no_such_decision(log, wanted);
    none.message += "; `rocktune rollback KNOB` reads no log";
    return tl::unexpected(std::move(none));
  }
  if (stories.size() > 1) {
    return fail(ErrorCode::kInvalidArgument,
                "several databases have a decision " + wanted.id + ": say which one with --target");
  }
  const DecisionStory& story = stories.front();
  if (!story.made()) return fail(ErrorCode::kInvalidArgument, not_made_text(story));
  const Json& told = story.actuation.is_null() ? story.decision : story.actuation;
  const auto before = told.find(story.actuation.is_null() ? "from" : "before");
  if (before == told.end() || !before->is_number_integer()) {
    return fail(ErrorCode::kCorrupt, log + " does not say what decision " + wanted.id +
                                         " has changed: there is no value to return to");
  }
  const Json body{{"target", text_at(story.decision, "target")},
                  {"knob", text_at(story.decision, "knob")},
                  {"column_family", text_at(story.decision, "column_family")},
                  {"value", before->get<std::int64_t>()},
                  {"decision", wanted.id},
                  {"left_at", read->left_at(story)}};
  return RollbackOrder{body, wanted.id, story.line, {}};
}

std::vector<RollbackOrder> earliest_of_each(std::vector<RollbackOrder> orders) {
  std::vector<RollbackOrder> out;
  for (RollbackOrder& order : orders) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const RollbackOrder& other) {
      const bool decisions = !order.decision.empty() && !other.decision.empty();
      return decisions && order.body["target"] == other.body["target"] &&
             order.body["knob"] == other.body["knob"] &&
             order.body["column_family"] == other.body["column_family"];
    });
    if (same == out.end()) {
      out.push_back(std::move(order));
      continue;
    }
    if (order.line < same->line) std::swap(order, *same);
    if (order.decision != same->decision) same->takes_along.push_back(order.decision);
    std::move(order.takes_along.begin(), order.takes_along.end(),
              std::back_inserter(same->takes_along));
  }
  return out;
}

}  // namespace rocktune::tools
