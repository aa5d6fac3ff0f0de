#include "trace/event_rows.h"

#include <algorithm>
#include <array>

#include "trace/json_text.h"

namespace rocktune::trace {
namespace {

// What has a column of its own, in the columns' order.
constexpr std::array<const char*, 3> kNumbers = {"job", "before", "after"};
constexpr std::array<const char*, 6> kWords = {"knob",   "why",       "status",
                                               "reason", "condition", "cause"};

template <class Names>
bool has_column(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Map, class Names>
void put_known(Statement& row, const Map& values, const Names& names) {
  for (const char* name : names) {
    const auto found = values.find(name);
    if (found == values.end()) {
      row.put_null();
    } else {
      row.put(found->second);
    }
  }
}

template <class Map, class Names>
void add_rest(Json& rest, const Map& values, const Names& names) {
  for (const auto& [name, value] : values) {
    if (!has_column(names, name)) rest[name] = value;
  }
}

// A name is either a number's or a word's: the value's type tells which.
Result<void> take_rest(const std::string& text, DatabaseEvent& event) {
  const Json rest = Json::parse(text, nullptr, false);
  if (!rest.is_object()) return fail(ErrorCode::kCorrupt, "an event's details are no JSON object");
  for (const auto& [name, value] : rest.items()) {
    if (value.is_number_integer()) {
      event.numbers[name] = value.get<std::int64_t>();
    } else if (value.is_string()) {
      event.words[name] = value.get<std::string>();
    } else {
      return fail(ErrorCode::kCorrupt, "an event's detail \"" + name + "\" has no known type");
    }
  }
  return {};
}

}  // namespace

Columns event_columns() {
  Columns columns = {{"target", "INTEGER NOT NULL"},      {"sequence", "INTEGER NOT NULL"},
                     {"incarnation", "INTEGER NOT NULL"}, {"number", "INTEGER NOT NULL"},
                     {"wall_ns", "INTEGER NOT NULL"},     {"tick_ns", "INTEGER NOT NULL"},
                     {"kind", "TEXT NOT NULL"},           {"column_family", "TEXT NOT NULL"}};
  for (const char* name : kNumbers) columns.push_back({name, "INTEGER"});
  for (const char* name : kWords) columns.push_back({name, "TEXT"});
  columns.push_back({"details", "TEXT"});
  return columns;
}

void put_event(Statement& statement, std::int64_t incarnation, const DatabaseEvent& event) {
  statement.put(incarnation)
      .put(event.number)
      .put(std::int64_t{event.at.wall.count()})
      .put(std::int64_t{event.at.tick.count()})
      .put(event.kind)
      .put(event.column_family);
  put_known(statement, event.numbers, kNumbers);
  put_known(statement, event.words, kWords);
  Json rest = Json::object();
  add_rest(rest, event.numbers, kNumbers);
  add_rest(rest, event.words, kWords);
  if (rest.empty()) {
    statement.put_null();
  } else {
    statement.put(json_text(rest));
  }
}

std::string select_events() {
  Columns values = event_columns();
  values.erase(values.begin(), values.begin() + 3);  // target, sequence, incarnation
  return "SELECT e.sequence, i.incarnation, " + column_names(values, "e.") +
         " FROM database_events e JOIN incarnations i ON i.id = e.incarnation";
}

Result<DatabaseEvent> take_event(Statement& row) {
  DatabaseEvent event;
  event.incarnation = row.take_text();
  event.number = row.take_unsigned();
  event.at.wall = Nanoseconds(row.take_int());
  event.at.tick = Nanoseconds(row.take_int());
  if (!is_tick(event.at.tick)) {
    return fail(ErrorCode::kCorrupt, "the trace is damaged: an event was seen at no time");
  }
  event.kind = row.take_text();
  event.column_family = row.take_text();
  for (const char* name : kNumbers) {
    if (const auto value = row.take_optional_int()) event.numbers[name] = *value;
  }
  for (const char* name : kWords) {
    if (auto value = row.take_optional_text()) event.words[name] = std::move(*value);
  }
  if (const auto details = row.take_optional_text()) {
    if (auto done = take_rest(*details, event); !done) return tl::unexpected(done.error());
  }
  return event;
}

}  // namespace rocktune::trace
