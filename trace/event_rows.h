// Events of the database as rows: what most of them have in columns, the rest as one JSON object.
// As with the journal's rows, the first two columns are target and sequence (of the sample in whose
// tick the event was recorded); binding and reading begin after them.
#pragma once

#include "model/event.h"
#include "trace/columns.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

Columns event_columns();
// `incarnation` is incarnations.id.
void put_event(Statement& statement, std::int64_t incarnation, const DatabaseEvent& event);

// The SELECT whose rows take_event() reads behind the first column, the sequence; it ends behind
// FROM, the caller adds WHERE and ORDER.
std::string select_events();
Result<DatabaseEvent> take_event(Statement& row);

}  // namespace rocktune::trace
