#include "trace/reader.h"

#include <utility>

#include "trace/event_rows.h"
#include "trace/journal_cursor.h"
#include "trace/journal_json.h"
#include "trace/journal_rows.h"
#include "trace/open_options_json.h"
#include "trace/open_trace.h"
#include "trace/sample_reader.h"

namespace rocktune::trace {

struct Reader::State {
  std::string path;
  std::shared_ptr<Connection> connection;  // shared with the streams of steps
  bool has_events = false;
  RunInfo run;
};

struct Reader::Steps::State {
  std::shared_ptr<Connection> connection;
  std::string path;
  SampleReader samples;
  JournalCursor<AlertChange> alerts;
  JournalCursor<Decision> decisions;
  JournalCursor<Actuation> actuations;
  JournalCursor<Outcome> outcomes;
  std::optional<JournalCursor<DatabaseEvent>> events;  // none in a file of an older schema
  bool ended = false;
};

namespace {

Result<RunInfo> read_run(const Connection& connection) {
  auto row = Statement::prepare(
      connection, "SELECT daemon_version, host, started_wall_ns, poll_interval_seconds FROM run");
  if (!row) return tl::unexpected(row.error());
  const auto found = row->step();
  if (!found) return tl::unexpected(found.error());
  if (!*found) return fail(ErrorCode::kCorrupt, "has no run: it was cut off while being made");
  RunInfo run;
  run.daemon_version = row->take_text();
  run.host = row->take_text();
  run.started_wall = Nanoseconds(row->take_int());
  run.poll_interval_seconds = row->take_real();
  return run;
}

Result<std::vector<TargetInfo>> read_targets(const Connection& connection) {
  auto row = Statement::prepare(connection,
                                "SELECT id, name, path, mode, engine FROM targets ORDER BY id");
  if (!row) return tl::unexpected(row.error());
  std::vector<TargetInfo> targets;
  while (true) {
    const auto found = row->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return targets;
    TargetInfo& target = targets.emplace_back();
    target.id = row->take_int();
    target.name = row->take_text();
    target.path = row->take_text();
    target.mode = row->take_text();
    auto engine = decode_engine_config(row->take_text());
    if (!engine) return tl::unexpected(engine.error().within("target " + target.name));
    target.engine = std::move(*engine);
  }
}

Result<std::vector<IncarnationInfo>> read_incarnations(const Connection& connection,
                                                       std::int64_t target) {
  const auto options = readable_columns(connection, "incarnations", {{"options", "TEXT"}});
  if (!options) return tl::unexpected(options.error());
  auto row = Statement::prepare(
      connection,
      "SELECT incarnation, pid, command, rocksdb_version, agent_version, limiter, statistics, " +
          *options + " FROM incarnations WHERE target = ? ORDER BY id");
  if (!row) return tl::unexpected(row.error());
  row->put(target);
  std::vector<IncarnationInfo> incarnations;
  while (true) {
    const auto found = row->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return incarnations;
    IncarnationInfo& info = incarnations.emplace_back();
    info.incarnation = row->take_text();
    info.pid = row->take_int();
    info.command = row->take_text();
    info.rocksdb_version = row->take_text();
    info.agent_version = row->take_text();
    info.limiter = row->take_text();
    info.statistics = row->take_text();
    auto told = decode_open_options(row->take_optional_text());
    if (!told) return tl::unexpected(told.error().within("incarnation " + info.incarnation));
    info.options = *std::move(told);
  }
}

Result<void> count_rows(const Connection& connection, TargetSummary& summary) {
  auto row = Statement::prepare(
      connection,
      "SELECT count(*), coalesce(sum(has_database), 0), coalesce(min(wall_ns), 0), "
      "coalesce(max(wall_ns), 0), coalesce(min(tick_ns), 0), (SELECT count(*) FROM alerts WHERE "
      "target = ?1), "
      "(SELECT count(*) FROM decisions WHERE target = ?1), "
      "(SELECT count(*) FROM actuations WHERE target = ?1), "
      "(SELECT count(*) FROM outcomes WHERE target = ?1) FROM samples WHERE target = ?1");
  if (!row) return tl::unexpected(row.error());
  row->put(summary.info.id);
  const auto found = row->step();
  if (!found) return tl::unexpected(found.error());
  summary.samples = row->take_unsigned();
  summary.samples_with_database = row->take_unsigned();
  summary.first_wall = Nanoseconds(row->take_int());
  summary.last_wall = Nanoseconds(row->take_int());
  summary.first_tick = Nanoseconds(row->take_int());
  summary.alerts = row->take_unsigned();
  summary.decisions = row->take_unsigned();
  summary.actuations = row->take_unsigned();
  summary.outcomes = row->take_unsigned();
  return {};
}

// "missed" and "skipped" count what their rows stand for.
Result<void> count_events(const Connection& connection, TargetSummary& summary) {
  auto row = Statement::prepare(
      connection,
      "SELECT kind, sum(CASE WHEN kind IN ('missed', 'skipped') THEN "
      "coalesce(json_extract(details, '$.events'), 1) ELSE 1 END) FROM database_events WHERE "
      "target = ? GROUP BY kind");
  if (!row) return tl::unexpected(row.error());
  row->put(summary.info.id);
  while (true) {
    const auto found = row->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return {};
    std::string kind = row->take_text();
    summary.events[std::move(kind)] = row->take_unsigned();
  }
}

Result<Statement> of_target(const Connection& connection, const std::string& sql,
                            std::int64_t target) {
  auto rows = Statement::prepare(connection, sql);
  if (rows) rows->put(target);
  return rows;
}

template <class T>
Result<JournalCursor<T>> journal(const Connection& connection, const char* table,
                                 const Columns& columns, std::int64_t target,
                                 Result<T> (*take)(Statement&)) {
  const Columns values(columns.begin() + 1, columns.end());  // without target
  const auto names = readable_columns(connection, table, values);
  if (!names) return tl::unexpected(names.error());
  auto rows = of_target(
      connection,
      "SELECT " + *names + " FROM " + table + " WHERE target = ? ORDER BY sequence, rowid", target);
  if (!rows) return tl::unexpected(rows.error());
  return JournalCursor<T>(*std::move(rows), take);
}

Result<JournalCursor<DatabaseEvent>> event_rows(const Connection& connection, std::int64_t target) {
  auto rows = of_target(
      connection,
      select_events() + " WHERE e.target = ? ORDER BY e.sequence, e.incarnation, e.number", target);
  if (!rows) return tl::unexpected(rows.error());
  return JournalCursor<DatabaseEvent>(*std::move(rows), take_event);
}

}  // namespace

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

std::string called_in_trace(const std::string& name, int use) {
  return use > 1 ? name + "#" + std::to_string(use) : name;
}

Result<Reader> Reader::open(const std::string& path) {
  auto connection = open_trace(path);
  if (!connection) return tl::unexpected(connection.error());
  auto run = read_run(*connection);
  if (!run) return tl::unexpected(run.error().within("trace " + path));
  auto state = std::make_unique<State>();
  state->path = path;
  state->connection = std::make_shared<Connection>(std::move(*connection));
  const auto version = state->connection->number("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error().within("trace " + path));
  state->has_events = *version >= kEventsSince;
  state->run = std::move(*run);
  state->run.schema = static_cast<int>(*version);
  return Reader(std::move(state));
}

const RunInfo& Reader::run() const {
  return state_->run;
}

Result<std::vector<TargetInfo>> Reader::infos() {
  auto read = read_targets(*state_->connection);
  if (!read) return tl::unexpected(read.error().within("trace " + state_->path));
  return read;
}

Result<std::vector<TargetSummary>> Reader::targets() {
  const std::string context = "trace " + state_->path;
  auto read = infos();
  if (!read) return tl::unexpected(read.error());
  std::vector<TargetSummary> summaries;
  for (TargetInfo& info : *read) {
    TargetSummary& summary = summaries.emplace_back();
    summary.info = std::move(info);
    auto incarnations = read_incarnations(*state_->connection, summary.info.id);
    if (!incarnations) return tl::unexpected(incarnations.error().within(context));
    summary.incarnations = std::move(*incarnations);
    auto counted = count_rows(*state_->connection, summary);
    if (counted && state_->has_events) counted = count_events(*state_->connection, summary);
    if (!counted) return tl::unexpected(counted.error().within(context));
  }
  return summaries;
}

Result<Reader::Steps> Reader::steps(std::int64_t target, HistogramForm form) {
  const Connection& connection = *state_->connection;
  const auto failed = [&](const Error& error) {
    return tl::unexpected(error.within("trace " + state_->path));
  };
  auto samples = SampleReader::create(connection, target, form);
  if (!samples) return failed(samples.error());
  auto alerts = journal(connection, "alerts", alert_columns(), target, take_alert);
  if (!alerts) return failed(alerts.error());
  auto decisions = journal(connection, "decisions", decision_columns(), target, take_decision);
  if (!decisions) return failed(decisions.error());
  auto actuations = journal(connection, "actuations", actuation_columns(), target, take_actuation);
  if (!actuations) return failed(actuations.error());
  auto outcomes = journal(connection, "outcomes", outcome_columns(), target, take_outcome);
  if (!outcomes) return failed(outcomes.error());
  std::optional<JournalCursor<DatabaseEvent>> events;
  if (state_->has_events) {
    auto rows = event_rows(connection, target);
    if (!rows) return failed(rows.error());
    events = *std::move(rows);
  }
  return Steps(std::unique_ptr<Steps::State>(new Steps::State{
      state_->connection, state_->path, *std::move(samples), *std::move(alerts),
      *std::move(decisions), *std::move(actuations), *std::move(outcomes), std::move(events)}));
}

Reader::Steps::Steps(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Steps::~Steps() = default;
Reader::Steps::Steps(Steps&&) noexcept = default;
Reader::Steps& Reader::Steps::operator=(Steps&&) noexcept = default;

Result<std::optional<RecordedStep>> Reader::Steps::next() {
  RecordedStep step;
  const auto found = next(step);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::nullopt;
  return step;
}

Result<bool> Reader::Steps::next(RecordedStep& step) {
  State& state = *state_;
  if (state.ended) return false;
  const auto failed = [&](const Error& error) {
    state.ended = true;
    return tl::unexpected(error.within("trace " + state.path));
  };
  const auto found = state.samples.next(step.sample);
  if (!found) return failed(found.error());
  state.ended = !*found;
  if (state.ended) return false;
  const auto upto = static_cast<std::int64_t>(step.sample.sequence);
  auto done = state.actuations.take_until(upto, step.reports_before);
  if (done) done = state.alerts.take_until(upto, step.alerts);
  if (done) done = state.decisions.take_until(upto, step.decisions);
  if (done) done = state.outcomes.take_until(upto, step.outcomes);
  if (done && state.events) done = state.events->take_until(upto, step.events);
  if (!done) return failed(done.error());
  return true;
}

}  // namespace rocktune::trace
