#include "trace/sample_queries.h"

#include <optional>
#include <utility>

#include "trace/columns.h"
#include "trace/schema.h"

namespace rocktune::trace {
namespace {

// SQLite is asked for everything after a target's first keyframe: rows before it are the rest of
// what a retention cut left.
constexpr const char* kFromFirstKeyframe =
    " FROM samples WHERE target = ?1 AND sequence >= (SELECT min(sequence) FROM samples "
    "WHERE target = ?1 AND keyframe = 1) ORDER BY sequence";
constexpr const char* kOfSample = " WHERE sample = ?";
constexpr const char* kFamiliesFromSample =
    " FROM column_families WHERE sample >= ? ORDER BY sample, position";
constexpr const char* kOfFamily = " WHERE sample = ? AND position = ?";

Columns from(const Columns& columns, std::size_t first) {
  return {columns.begin() + static_cast<std::ptrdiff_t>(first), columns.end()};
}

// Where lists could not be made, their errors.
class Lists {
 public:
  explicit Lists(const Connection& connection) : connection_(connection) {}
  std::string of(const std::string& table, const Columns& columns) {
    auto list = readable_columns(connection_, table, columns);
    if (!list && !error_) error_ = list.error();
    return list.value_or("");
  }
  Result<SampleQueries> done(SampleQueries queries) {
    if (error_) return tl::unexpected(*error_);
    return queries;
  }

 private:
  const Connection& connection_;
  std::optional<Error> error_;
};

Columns prefixed(const Columns& columns, const std::string& prefix) {
  Columns all = columns;
  for (Column& column : all) column.name = prefix + column.name;
  return all;
}

// The row that says so is the sample's own.
std::string old_reference(Lists& lists, const std::string& has) {
  return "CASE WHEN " + lists.of("samples", {{has, ""}}) + " THEN id END";
}

std::string old_samples(Lists& lists) {
  const Columns columns = sample_columns();
  std::string list;
  for (const Column& column : columns) {
    if (!list.empty()) list += ", ";
    if (column.name == "nvme_at") {
      list += old_reference(lists, "has_nvme");
    } else if (column.name == "shared_at") {
      list += old_reference(lists, "has_shared");
    } else {
      list += lists.of("samples", {column});
    }
  }
  return list;
}

std::string old_state(Lists& lists) {
  const Columns levels = column_family_level_columns();
  Columns columns = from(column_family_state_columns(), 2);
  columns.resize(columns.size() - levels.size());
  std::string list;
  for (const Column& column : columns) {
    if (!list.empty()) list += ", ";
    // Ages were written as they were read, not as the moment since which they grow.
    list += column.name.ends_with("_ns") ? "NULL" : lists.of("column_families", {column});
  }
  return list + ", " + lists.of("column_family_levels", levels);
}

Result<SampleQueries> old_queries(const Connection& connection) {
  Lists lists(connection);
  SampleQueries queries;
  queries.samples = "SELECT " + old_samples(lists) + kFromFirstKeyframe;
  const std::string of_id = " FROM samples WHERE id = ?";
  queries.nvme =
      "SELECT " + lists.of("samples", prefixed(from(nvme_columns(), 1), "nvme_")) + of_id;
  queries.shared =
      "SELECT " + lists.of("samples", prefixed(from(shared_columns(), 1), "shared_")) + of_id;
  queries.families = "SELECT sample, position, sample, " +
                     lists.of("column_families", from(column_family_columns(), 3)) +
                     kFamiliesFromSample;
  queries.state = "SELECT " + old_state(lists) +
                  " FROM column_families c JOIN column_family_levels l ON l.sample = c.levels_at "
                  "AND l.position = c.position WHERE c.sample = ? AND c.position = ?";
  queries.options = "SELECT " +
                    lists.of("column_family_options", from(column_family_option_columns(), 2)) +
                    " FROM column_family_options" + kOfFamily;
  return lists.done(std::move(queries));
}

Result<SampleQueries> new_queries(const Connection& connection) {
  Lists lists(connection);
  SampleQueries queries;
  const auto select = [&](const char* table, const Columns& columns) {
    return "SELECT " + lists.of(table, columns);
  };
  queries.samples = select("samples", sample_columns()) + kFromFirstKeyframe;
  queries.nvme = select("nvme", from(nvme_columns(), 1)) + " FROM nvme" + kOfSample;
  queries.shared =
      select("shared_budgets", from(shared_columns(), 1)) + " FROM shared_budgets" + kOfSample;
  queries.families = select("column_families", column_family_columns()) + kFamiliesFromSample;
  queries.state = select("column_family_states", from(column_family_state_columns(), 2)) +
                  " FROM column_family_states" + kOfFamily;
  queries.options = select("column_family_options", from(column_family_option_columns(), 2)) +
                    " FROM column_family_options" + kOfFamily;
  return lists.done(std::move(queries));
}

}  // namespace

Result<SampleQueries> sample_queries(const Connection& connection) {
  auto version = Statement::prepare(connection, "PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  const auto row = version->step();
  if (!row) return tl::unexpected(row.error());
  return version->take_int() < kStatesSince ? old_queries(connection) : new_queries(connection);
}

}  // namespace rocktune::trace
