#include "trace/columns.h"

#include <algorithm>
#include <array>
#include <set>

#include "model/indicators.h"
#include "model/sample.h"
#include "trace/sqlite.h"

namespace rocktune::trace {
namespace {

constexpr std::array kOptions = {
    std::string_view("write_buffer_bytes"),
    std::string_view("max_write_buffer_number"),
    std::string_view("level0_compaction_trigger"),
    std::string_view("level0_slowdown_trigger"),
    std::string_view("level0_stop_trigger"),
    std::string_view("soft_pending_limit_bytes"),
    std::string_view("hard_pending_limit_bytes"),
    std::string_view("target_file_bytes"),
    std::string_view("max_bytes_for_level_base_bytes"),
    std::string_view("max_bytes_for_level_multiplier"),
    std::string_view("dynamic_level_bytes"),
    std::string_view("leveled_compaction"),
};

// All others are there from the first schema on.
constexpr std::array kAddedLater = {
    std::string_view("l0_compaction_input_files"),
    std::string_view("l0_compaction_input_bytes"),
    std::string_view("l0_compaction_output_bytes"),
    std::string_view("l0_compaction_age_ms"),
    std::string_view("deep_compaction_level"),
    std::string_view("deep_compaction_age_ms"),
    std::string_view("flushes"),
    std::string_view("last_flush_age_ms"),
    std::string_view("l0_compactions"),
    std::string_view("l0_compactions_ms"),
    std::string_view("l0_compactions_input_bytes"),
    std::string_view("l0_compactions_other_bytes"),
    std::string_view("deep_compactions"),
    std::string_view("deep_compactions_ms"),
    std::string_view("max_bytes_for_level_multiplier"),
    std::string_view("dynamic_level_bytes"),
    std::string_view("leveled_compaction"),
    std::string_view("has_nvme"),
    std::string_view("has_shared"),
    std::string_view("forecast"),
    std::string_view("host_io_read_bytes_limit"),
    std::string_view("host_io_write_bytes_limit"),
    std::string_view("host_io_reads_limit"),
    std::string_view("host_io_writes_limit"),
    std::string_view("host_io_read_bytes"),
    std::string_view("host_io_write_bytes"),
    std::string_view("host_io_reads"),
    std::string_view("host_io_writes"),
    std::string_view("host_cpu_quota_millis"),
    std::string_view("limiter_limits_reads"),
    std::string_view("wal_syncs"),
    std::string_view("iterator_steps"),
    std::string_view("write_buffer_limit_bytes"),
    std::string_view("write_buffer_stall"),
    std::string_view("options"),  // of "incarnations"
};
constexpr std::string_view kNvmePrefix = "nvme_";      // all of these, too: of schemas before 4,
constexpr std::string_view kSharedPrefix = "shared_";  // and these, in "samples"

constexpr std::array kGauges = {
    std::string_view("active_memtable_bytes"),
    std::string_view("all_memtables_bytes"),
};
// With the column for the moment since which each grows.
constexpr std::array<std::pair<std::string_view, std::string_view>, kFamilyAges> kAges = {{
    {"l0_compaction_age_ms", "l0_compaction_began_ns"},
    {"deep_compaction_age_ms", "deep_compaction_began_ns"},
    {"last_flush_age_ms", "last_flush_ns"},
}};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

FamilyPart part_of(std::string_view field) {
  if (is_among(kOptions, field)) return FamilyPart::kOption;
  if (is_among(kGauges, field)) return FamilyPart::kGauge;
  for (const auto& [age, began] : kAges) {
    if (field == age) return FamilyPart::kAge;
  }
  return FamilyPart::kState;
}

std::string_view began_column(std::string_view age_field) {
  for (const auto& [age, began] : kAges) {
    if (age_field == age) return began;
  }
  return {};
}

// Calls `use` with each field's name and part.
template <class Use>
void visit_family_fields(Use use) {
  const ColumnFamilyReading reading;
  ColumnFamilyReading::visit_fields(
      reading, [&](const char* name, const auto&) { use(std::string(name), part_of(name)); });
}

template <class Reading>
void add_fields(Columns& columns, const std::string& prefix) {
  const Reading reading;
  Reading::visit_fields(reading, [&](const char* name, const auto&) {
    columns.push_back({prefix + name, "INTEGER"});
  });
}

}  // namespace

const std::vector<FamilyPart>& family_parts() {
  static const std::vector<FamilyPart> kParts = [] {
    std::vector<FamilyPart> parts;
    const ColumnFamilyReading reading;
    ColumnFamilyReading::visit_fields(
        reading, [&](const char* name, const auto&) { parts.push_back(part_of(name)); });
    return parts;
  }();
  return kParts;
}

bool added_later(std::string_view column) {
  return column.starts_with(kNvmePrefix) || column.starts_with(kSharedPrefix) ||
         is_among(kAddedLater, column);
}

Result<std::string> readable_columns(const Connection& connection, const std::string& table,
                                     const Columns& columns) {
  auto names = Statement::prepare(connection, "SELECT name FROM pragma_table_info(?)");
  if (!names) return tl::unexpected(names.error());
  names->put(table);
  std::set<std::string> there;
  while (true) {
    const auto row = names->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    there.insert(names->take_text());
  }
  std::string list;
  for (const Column& column : columns) {
    if (!there.contains(column.name) && !added_later(column.name)) {
      return fail(ErrorCode::kCorrupt,
                  "the trace is damaged: table " + table + " has no column " + column.name);
    }
    const std::string quoted = '"' + column.name + '"';
    list += (list.empty() ? "" : ", ") + (there.contains(column.name) ? quoted : "NULL");
  }
  return list;
}

Columns sample_columns() {
  Columns columns = {{"id", "INTEGER PRIMARY KEY"},    {"target", "INTEGER NOT NULL"},
                     {"sequence", "INTEGER NOT NULL"}, {"wall_ns", "INTEGER NOT NULL"},
                     {"tick_ns", "INTEGER NOT NULL"},  {"keyframe", "INTEGER NOT NULL"},
                     {"incarnation", "INTEGER"},       {"health_at", "INTEGER NOT NULL"},
                     {"knobs_at", "INTEGER NOT NULL"}, {"nvme_at", "INTEGER"},
                     {"shared_at", "INTEGER"},         {"has_database", "INTEGER NOT NULL"},
                     {"agent_tick_ns", "INTEGER"},     {"agent_sequence", "INTEGER"}};
  add_fields<DatabaseReading>(columns, "");
  const DatabaseReading database;
  DatabaseReading::visit_histograms(
      database, [&](const char* name, const auto&) { columns.push_back({name, "BLOB"}); });
  columns.push_back({"device", "INTEGER"});
  add_fields<DeviceReading>(columns, "device_");
  columns.push_back({"has_host", "INTEGER NOT NULL"});
  add_fields<HostReading>(columns, "host_");
  return columns;
}

Columns nvme_columns() {
  Columns columns = {{"sample", "INTEGER PRIMARY KEY"}};
  add_fields<NvmeReading>(columns, "");
  return columns;
}

Columns shared_columns() {
  Columns columns = {{"sample", "INTEGER PRIMARY KEY"}};
  add_fields<SharedBudget>(columns, "");
  return columns;
}

Columns column_family_columns() {
  Columns columns = {{"sample", "INTEGER NOT NULL"},
                     {"position", "INTEGER NOT NULL"},
                     {"state_at", "INTEGER NOT NULL"}};
  visit_family_fields([&](const std::string& name, FamilyPart part) {
    if (part == FamilyPart::kGauge) columns.push_back({name, "INTEGER"});
  });
  return columns;
}

Columns column_family_option_columns() {
  Columns columns = {
      {"sample", "INTEGER NOT NULL"}, {"position", "INTEGER NOT NULL"}, {"name", "TEXT NOT NULL"}};
  visit_family_fields([&](const std::string& name, FamilyPart part) {
    if (part == FamilyPart::kOption) columns.push_back({name, "INTEGER"});
  });
  return columns;
}

Columns column_family_state_columns() {
  Columns columns = {{"sample", "INTEGER NOT NULL"},
                     {"position", "INTEGER NOT NULL"},
                     {"options_at", "INTEGER NOT NULL"}};
  visit_family_fields([&](const std::string& name, FamilyPart part) {
    if (part == FamilyPart::kAge) columns.push_back({std::string(began_column(name)), "INTEGER"});
    if (part == FamilyPart::kAge || part == FamilyPart::kState) {
      columns.push_back({name, "INTEGER"});
    }
  });
  const Columns levels = column_family_level_columns();
  columns.insert(columns.end(), levels.begin(), levels.end());
  return columns;
}

Columns column_family_level_columns() {
  Columns columns = {{"levels", "INTEGER NOT NULL"}};
  for (const char* what : {"_files", "_bytes"}) {
    for (std::size_t level = 0; level < kLevelColumns; ++level) {
      columns.push_back({"l" + std::to_string(level) + what, "INTEGER"});
    }
  }
  columns.push_back({"deeper_levels", "TEXT"});
  return columns;
}

Columns indicator_columns() {
  Columns columns = {{"target", "INTEGER NOT NULL"}, {"sequence", "INTEGER NOT NULL"}};
  for (const auto kind :
       {IndicatorKind::kP99, IndicatorKind::kCompactionBacklog, IndicatorKind::kDeviceSaturation}) {
    const std::string name(to_string(kind));
    columns.push_back({name + "_state", "TEXT"});
    columns.push_back({name + "_probability", "REAL"});
    columns.push_back({name + "_eta_seconds", "REAL"});
    columns.push_back({name + "_event", "INTEGER"});
    columns.push_back({name + "_valid", "INTEGER"});
    columns.push_back({name + "_cause", "TEXT"});
  }
  return columns;
}

std::string create_table(std::string_view name, const Columns& columns, std::string_view tail) {
  std::string sql = "CREATE TABLE " + std::string(name) + " (";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != 0) sql += ", ";
    sql += '"' + columns[i].name + "\" " + std::string(columns[i].type);
  }
  return sql + std::string(tail) + ";\n";
}

std::string insert_into(std::string_view name, const Columns& columns) {
  std::string sql =
      "INSERT INTO " + std::string(name) + " (" + column_names(columns) + ") VALUES (";
  for (std::size_t i = 0; i < columns.size(); ++i) sql += i == 0 ? "?" : ", ?";
  return sql + ")";
}

std::string column_names(const Columns& columns, std::string_view prefix) {
  std::string names;
  for (const Column& column : columns) {
    if (!names.empty()) names += ", ";
    names += std::string(prefix) + '"' + column.name + '"';
  }
  return names;
}

}  // namespace rocktune::trace
