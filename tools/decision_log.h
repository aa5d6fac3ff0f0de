// Decisions as an alert log has them, for `rocktune explain` and `rocktune rollback ID`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "tools/decision_story.h"

namespace rocktune::tools {

// Errors: the log cannot be read, or not one of its lines is one of an alert log.
Result<DecisionStories> read_stories(const std::string& log, const DecisionStories::Wanted& wanted);

Error no_alert_log(const std::string& file);  // that not one of its lines is one

// That the log has no decision wanted.id, and where it may be.
Error no_such_decision(const std::string& log, const DecisionStories::Wanted& wanted);

// That the log has none at all, of `target` where that is given, and where earlier ones are.
std::string no_decision_text(const std::string& log, const std::string& target);

// That `target` is none of those that the log tells of; none: it is one, or empty.
std::optional<Error> no_such_target(const std::string& log, const std::string& target,
                                    const DecisionStories& stories);

struct RollbackOrder {
  Json body;                             // of POST /v1/rollback
  std::string decision;                  // the id; empty: of a knob
  std::uint64_t line = 0;                // of the decision in the log: the smaller, the earlier
  std::vector<std::string> takes_along;  // later decisions on the same knob
};

// What the daemon is to do so that the decision wanted.id is taken back. Errors: there is none,
// several databases have one, or it was not made.
Result<RollbackOrder> rollback_order(const std::string& log, const DecisionStories::Wanted& wanted);

// Of several decisions on one knob the earliest: what it was before that is what it was before
// all of them.
std::vector<RollbackOrder> earliest_of_each(std::vector<RollbackOrder> orders);

}  // namespace rocktune::tools
