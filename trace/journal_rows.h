// Alerts, decisions, actuations and outcomes as rows: for each the columns, how to bind them and
// how to read them back. The first two columns are always target and sequence; binding and reading
// begin after them.
#pragma once

#include "model/decision.h"
#include "model/indicators.h"
#include "trace/columns.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

Columns alert_columns();
void put_alert(Statement& statement, const AlertChange& alert);
Result<AlertChange> take_alert(Statement& row);

Columns decision_columns();
void put_decision(Statement& statement, const Decision& decision);
Result<Decision> take_decision(Statement& row);

Columns actuation_columns();
void put_actuation(Statement& statement, const Actuation& actuation);
Result<Actuation> take_actuation(Statement& row);

Columns outcome_columns();
void put_outcome(Statement& statement, const Outcome& outcome);
Result<Outcome> take_outcome(Statement& row);

}  // namespace rocktune::trace
