// Decisions as an alert log has them, for `rocktune explain` and `rocktune rollback ID`.
#pragma once

#include <string>

#include "model/result.h"
#include "tools/decision_story.h"

namespace rocktune::tools {

// Errors: the log cannot be read, or not one of its lines is one of an alert log.
Result<DecisionStories> read_stories(const std::string& log, const DecisionStories::Wanted& wanted);

// That the log has no decision wanted.id, and where it may be.
Error no_such_decision(const std::string& log, const DecisionStories::Wanted& wanted);

// What the daemon is to do so that the decision wanted.id is taken back: the body of POST
// /v1/rollback. Errors: there is none, several databases have one, or it was not made.
Result<Json> rollback_order(const std::string& log, const DecisionStories::Wanted& wanted);

}  // namespace rocktune::tools
