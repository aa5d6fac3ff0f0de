#include "trace/schema.h"

#include "trace/columns.h"
#include "trace/event_rows.h"
#include "trace/journal_rows.h"
#include "trace/schema_sql.h"

namespace rocktune::trace {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE run (daemon_version TEXT NOT NULL, host TEXT NOT NULL, started_wall_ns INTEGER NOT NULL,
  poll_interval_seconds REAL NOT NULL);
CREATE TABLE targets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL,
  mode TEXT NOT NULL, engine TEXT NOT NULL);
CREATE TABLE incarnations (id INTEGER PRIMARY KEY, target INTEGER NOT NULL, incarnation TEXT NOT NULL,
  pid INTEGER, command TEXT, rocksdb_version TEXT, agent_version TEXT, limiter TEXT,
  statistics TEXT, options TEXT, UNIQUE (target, incarnation));
CREATE TABLE devices (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE health (sample INTEGER NOT NULL, position INTEGER NOT NULL, source TEXT NOT NULL,
  error TEXT NOT NULL, PRIMARY KEY (sample, position)) WITHOUT ROWID;
CREATE TABLE knobs (sample INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
  column_family TEXT NOT NULL, value INTEGER NOT NULL, found INTEGER NOT NULL, owner TEXT NOT NULL,
  changeable INTEGER NOT NULL, reason TEXT NOT NULL, min INTEGER NOT NULL, max INTEGER NOT NULL,
  PRIMARY KEY (sample, position)) WITHOUT ROWID;
CREATE TABLE events (id INTEGER PRIMARY KEY, target INTEGER, wall_ns INTEGER NOT NULL,
  tick_ns INTEGER NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL);
)sql";

constexpr const char* kIndexes = R"sql(
CREATE UNIQUE INDEX samples_by_sequence ON samples (target, sequence);
CREATE INDEX samples_keyframes ON samples (target, sequence) WHERE keyframe = 1;
CREATE INDEX alerts_by_sequence ON alerts (target, sequence);
CREATE INDEX decisions_by_sequence ON decisions (target, sequence);
CREATE INDEX actuations_by_sequence ON actuations (target, sequence);
CREATE INDEX outcomes_by_sequence ON outcomes (target, sequence);
)sql";

// What the database's events say, with the names and times in full.
constexpr const char* kEventView = R"sql(
CREATE VIEW event_log AS
SELECT strftime('%Y-%m-%d %H:%M:%f', e.wall_ns / 1e9, 'unixepoch') AS time,
  t.name AS target, i.pid, e.number, e.kind, e.column_family, e.job, e.knob, e.before, e.after,
  e.why, e.status, e.reason, e.condition, e.cause, e.details
  FROM database_events e
  JOIN targets t ON t.id = e.target
  JOIN incarnations i ON i.id = e.incarnation
  ORDER BY e.target, e.sequence, e.incarnation, e.number;
)sql";

// Everything about a column family in one row.
constexpr const char* kColumnFamilyView = R"sql(
CREATE VIEW column_family_samples AS
SELECT s.target, s.sequence, s.wall_ns, o.name, c.*, t.*, o.*
  FROM samples s
  JOIN column_families c ON c.sample = s.id
  JOIN column_family_states t ON t.sample = c.state_at AND t.position = c.position
  JOIN column_family_options o ON o.sample = t.options_at AND o.position = t.position;
)sql";

// What happened per second, from each sample and the one before it of the same incarnation.
constexpr const char* kOverviewView = R"sql(
CREATE VIEW overview AS
WITH pairs AS (
  SELECT s.*,
    (s.agent_tick_ns - lag(s.agent_tick_ns) OVER w) / 1e9 AS seconds,
    (s.tick_ns - lag(s.tick_ns) OVER w) / 1e9 AS poll_seconds,
    s.keys_read - lag(s.keys_read) OVER w AS d_reads,
    s.keys_written - lag(s.keys_written) OVER w AS d_writes,
    s.user_bytes_written - lag(s.user_bytes_written) OVER w AS d_user,
    s.flush_bytes_written - lag(s.flush_bytes_written) OVER w AS d_flush,
    s.compaction_bytes_written - lag(s.compaction_bytes_written) OVER w AS d_compaction,
    s.stall_us - lag(s.stall_us) OVER w AS d_stall,
    s.block_cache_hits - lag(s.block_cache_hits) OVER w AS d_hits,
    s.block_cache_misses - lag(s.block_cache_misses) OVER w AS d_misses,
    s.device_read_sectors - lag(s.device_read_sectors) OVER w AS d_read_sectors,
    s.device_write_sectors - lag(s.device_write_sectors) OVER w AS d_write_sectors
  FROM samples s
  WINDOW w AS (PARTITION BY s.target, s.incarnation ORDER BY s.sequence))
SELECT strftime('%Y-%m-%d %H:%M:%f', p.wall_ns / 1e9, 'unixepoch') AS time,
  t.name AS target, p.sequence,
  round(p.d_reads / p.seconds, 1) AS reads_per_second,
  round(p.d_writes / p.seconds, 1) AS writes_per_second,
  round(p.d_user / p.seconds / 1e6, 3) AS user_mb_per_second,
  round(p.d_flush / p.seconds / 1e6, 3) AS flush_mb_per_second,
  round(p.d_compaction / p.seconds / 1e6, 3) AS compaction_mb_per_second,
  round(p.d_stall / p.seconds / 1e6, 3) AS stalled_ratio,
  round(1.0 * p.d_hits / nullif(p.d_hits + p.d_misses, 0), 3) AS cache_hit_ratio,
  (SELECT max(t.l0_files) FROM column_families c JOIN column_family_states t
     ON t.sample = c.state_at AND t.position = c.position WHERE c.sample = p.id) AS l0_files,
  (SELECT round(max(t.pending_compaction_bytes) / 1e6, 3) FROM column_families c
     JOIN column_family_states t ON t.sample = c.state_at AND t.position = c.position
     WHERE c.sample = p.id) AS pending_mb,
  p.running_flushes, p.running_compactions, p.delayed_write_rate, p.write_stopped,
  round(p.d_read_sectors * 512 / p.poll_seconds / 1e6, 3) AS device_read_mb_per_second,
  round(p.d_write_sectors * 512 / p.poll_seconds / 1e6, 3) AS device_write_mb_per_second
  FROM pairs p JOIN targets t ON t.id = p.target ORDER BY p.target, p.sequence;
)sql";

// Each decision with what was done about it and what came of it. The + keeps SQLite from looking
// through all rows of the target for each decision by the index on sequences: it makes one of ids.
constexpr const char* kStoryView = R"sql(
CREATE VIEW decision_story AS
SELECT strftime('%Y-%m-%d %H:%M:%f', s.wall_ns / 1e9, 'unixepoch') AS time,
  t.name AS target, d.id, d.knob, d.column_family, d."from", d."to", d.rule, d.verdict,
  d.verdict_value, d.verdict_rule, a.status, a.after, o.result, d.expected_feature,
  d.expected_baseline, o.measured, d.reason
  FROM decisions d
  JOIN targets t ON t.id = d.target
  LEFT JOIN samples s ON s.target = d.target AND s.sequence = d.sequence
  LEFT JOIN actuations a ON +a.target = d.target AND a.decision_id = d.id
  LEFT JOIN outcomes o ON +o.target = d.target AND o.decision_id = d.id
  ORDER BY d.target, d.sequence, d.rowid;
CREATE VIEW knob_history AS
SELECT strftime('%Y-%m-%d %H:%M:%f', s.wall_ns / 1e9, 'unixepoch') AS time,
  t.name AS target, s.sequence, k.name, k.column_family, k.value, k.found, k.owner, k.changeable,
  k.reason
  FROM knobs k JOIN samples s ON s.id = k.sample JOIN targets t ON t.id = s.target
  ORDER BY s.target, s.sequence, k.position;
)sql";

Columns without_first(const Columns& columns, std::size_t count) {
  return {columns.begin() + static_cast<std::ptrdiff_t>(count), columns.end()};
}

// The state with its ages as they were at the sample.
std::string state_list() {
  const Columns columns = without_first(column_family_state_columns(), 3);
  std::string list;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    if (!list.empty()) list += ", ";
    if (!name.ends_with("_ns")) {
      list += "t." + name;
      continue;
    }
    const std::string& age = columns[++i].name;
    list.append("coalesce((s.agent_tick_ns - t.").append(name).append(") / 1000000, t.");
    list.append(age).append(") AS ").append(age);
  }
  return list;
}

std::string column_family_view() {
  std::string sql = kColumnFamilyView;
  const auto replace = [&](std::string_view what, const std::string& list) {
    sql.replace(sql.find(what), what.size(), list);
  };
  replace("c.*", column_names(without_first(column_family_columns(), 3), "c."));
  replace("t.*", state_list());
  replace("o.*", column_names(without_first(column_family_option_columns(), 3), "o."));
  return sql;
}

}  // namespace

std::string checksums_note(const RunInfo& run) {
  if (has_checksums(run)) return "";
  return "schema " + std::to_string(run.schema) + " has no checksums: damage may go unnoticed";
}

std::string schema_sql() {
  constexpr const char* kPerColumnFamily = ", PRIMARY KEY (sample, position)) WITHOUT ROWID";
  return kTables + create_table("samples", sample_columns(), ")") +
         create_table("nvme", nvme_columns(), ")") +
         create_table("shared_budgets", shared_columns(), ")") +
         create_table("column_families", column_family_columns(), kPerColumnFamily) +
         create_table("column_family_options", column_family_option_columns(), kPerColumnFamily) +
         create_table("column_family_states", column_family_state_columns(), kPerColumnFamily) +
         create_table("indicators", indicator_columns(),
                      ", PRIMARY KEY (target, sequence)) WITHOUT ROWID") +
         create_table("alerts", alert_columns(), ")") +
         create_table("decisions", decision_columns(), ")") +
         create_table("actuations", actuation_columns(), ")") +
         create_table("outcomes", outcome_columns(), ")") +
         create_table("database_events", event_columns(),
                      ", PRIMARY KEY (target, sequence, incarnation, number)) WITHOUT ROWID") +
         kIndexes + column_family_view() + kOverviewView + kStoryView + kEventView;
}

}  // namespace rocktune::trace
