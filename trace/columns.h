// The columns of the trace's wide tables, in one place: they follow from the visit_fields() lists
// of model/sample.h. Writer, reader and schema all use these lists, in their order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune::trace {

class Connection;

struct Column {
  std::string name;
  std::string_view type;  // of SQL, with its constraints
};
using Columns = std::vector<Column>;

inline constexpr std::size_t kLevelColumns = 7;  // RocksDB's default num_levels

Columns sample_columns();
Columns nvme_columns();                  // a row when it was read anew
Columns shared_columns();                // a row when a slice changed
Columns column_family_columns();         // gauges, one row per sample and column family
Columns column_family_option_columns();  // its name and options: a row when they change
Columns column_family_state_columns();   // everything else, its levels included: likewise
Columns column_family_level_columns();   // of them, the levels
Columns indicator_columns();

// Where a field of ColumnFamilyReading is stored.
enum class FamilyPart {
  kGauge,   // changes all the time
  kState,   // ... when a flush or compaction begins or ends
  kAge,     // part of the state as the moment since which it grows, see trace/age.h
  kOption,  // hardly ever
};
// In the order of visit_fields().
const std::vector<FamilyPart>& family_parts();
inline constexpr std::size_t kFamilyAges = 3;

// Whether a file of the schemas that are read may lack it: a later release added it (as nullable).
bool added_later(std::string_view column);
// What to SELECT for `columns`, in their order: NULL for one that the file's table does not have
// since an older rocktune wrote it. Errors: it lacks a column that has always been there.
Result<std::string> readable_columns(const Connection& connection, const std::string& table,
                                     const Columns& columns);

std::string create_table(std::string_view name, const Columns& columns, std::string_view tail);
std::string insert_into(std::string_view name, const Columns& columns);
// Quoted, since some are words of SQL: "a", "b", each with `prefix` before it.
std::string column_names(const Columns& columns, std::string_view prefix = "");

}  // namespace rocktune::trace
