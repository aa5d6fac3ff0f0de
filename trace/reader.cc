#include "trace/reader.h"

#include <utility>

#include "trace/event_rows.h"
#include "trace/journal_json.h"
#include "trace/journal_rows.h"
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
  std::int64_t target = 0;
  SampleReader samples;
  Statement alerts, decisions, actuations, outcomes;
  std::optional<Statement> events;  // none in a file of an older schema
  std::int64_t after = -1;          // sequence of the sample before
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
  auto row = Statement::prepare(
      connection,
      "SELECT incarnation, pid, command, rocksdb_version, agent_version, limiter, statistics FROM "
      "incarnations WHERE target = ? ORDER BY id");
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
  }
}

Result<void> count_rows(const Connection& connection, TargetSummary& summary) {
  auto row = Statement::prepare(
      connection,
      "SELECT count(*), coalesce(sum(has_database), 0), coalesce(min(wall_ns), 0), "
      "coalesce(max(wall_ns), 0), (SELECT count(*) FROM alerts WHERE target = ?1), "
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

Result<Statement> journal(const Connection& connection, const char* table, const Columns& columns) {
  const Columns values(columns.begin() + 2, columns.end());  // without target and sequence
  const auto names = readable_columns(connection, table, values);
  if (!names) return tl::unexpected(names.error());
  return Statement::prepare(connection, "SELECT " + *names + " FROM " + table +
                                            " WHERE target = ? AND sequence > ? AND sequence <= ?"
                                            " ORDER BY sequence, rowid");
}

Result<std::optional<Statement>> event_rows(const Connection& connection, bool has_events) {
  if (!has_events) return std::nullopt;
  return Statement::prepare(connection, select_events() +
                                            " WHERE e.target = ? AND e.sequence > ? AND e.sequence "
                                            "<= ? ORDER BY e.sequence, e.incarnation, e.number");
}

// The rows after one sample up to the next. A row whose own sample was lost goes to the next one.
template <class T>
Result<std::vector<T>> rows_between(Statement& statement, std::int64_t target, std::int64_t after,
                                    std::int64_t upto, Result<T> (*take)(Statement&)) {
  std::vector<T> rows;
  statement.restart().put(target).put(after).put(upto);
  while (true) {
    const auto found = statement.step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return rows;
    auto row = take(statement);
    if (!row) return tl::unexpected(row.error());
    rows.push_back(std::move(*row));
  }
}

// Moves the value of a result to its place; false and the error, when there is none.
template <class T>
bool moved(Result<T> from, T& to, std::optional<Error>& error) {
  if (!from) {
    error = from.error();
    return false;
  }
  to = std::move(*from);
  return true;
}

}  // namespace

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

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
  return Reader(std::move(state));
}

const RunInfo& Reader::run() const {
  return state_->run;
}

Result<std::vector<TargetSummary>> Reader::targets() {
  const std::string context = "trace " + state_->path;
  auto infos = read_targets(*state_->connection);
  if (!infos) return tl::unexpected(infos.error().within(context));
  std::vector<TargetSummary> summaries;
  for (TargetInfo& info : *infos) {
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

Result<Reader::Steps> Reader::steps(std::int64_t target) {
  const Connection& connection = *state_->connection;
  auto samples = SampleReader::create(connection, target);
  auto alerts = journal(connection, "alerts", alert_columns());
  auto decisions = journal(connection, "decisions", decision_columns());
  auto actuations = journal(connection, "actuations", actuation_columns());
  auto outcomes = journal(connection, "outcomes", outcome_columns());
  auto events = event_rows(connection, state_->has_events);
  if (!samples) return tl::unexpected(samples.error().within("trace " + state_->path));
  if (!events) return tl::unexpected(events.error().within("trace " + state_->path));
  for (const auto* statement : {&alerts, &decisions, &actuations, &outcomes}) {
    if (!*statement) return tl::unexpected(statement->error().within("trace " + state_->path));
  }
  return Steps(std::unique_ptr<Steps::State>(new Steps::State{
      state_->connection, state_->path, target, std::move(*samples), std::move(*alerts),
      std::move(*decisions), std::move(*actuations), std::move(*outcomes), std::move(*events)}));
}

Reader::Steps::Steps(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Steps::~Steps() = default;
Reader::Steps::Steps(Steps&&) noexcept = default;
Reader::Steps& Reader::Steps::operator=(Steps&&) noexcept = default;

Result<std::optional<RecordedStep>> Reader::Steps::next() {
  State& state = *state_;
  if (state.ended) return std::nullopt;
  std::optional<Error> error;
  std::optional<Sample> sample;
  RecordedStep step;
  if (moved(state.samples.next(), sample, error) && sample) {
    const auto upto = static_cast<std::int64_t>(sample->sequence);
    const auto between = [&](Statement& statement, auto take) {
      return rows_between(statement, state.target, state.after, upto, take);
    };
    const bool complete =
        moved(between(state.actuations, take_actuation), step.reports_before, error) &&
        moved(between(state.alerts, take_alert), step.alerts, error) &&
        moved(between(state.decisions, take_decision), step.decisions, error) &&
        moved(between(state.outcomes, take_outcome), step.outcomes, error) &&
        (!state.events || moved(between(*state.events, take_event), step.events, error));
    state.after = upto;
    step.sample = std::move(*sample);
    if (complete) return step;
  }
  state.ended = true;
  if (error) return tl::unexpected(error->within("trace " + state.path));
  return std::nullopt;
}

}  // namespace rocktune::trace
