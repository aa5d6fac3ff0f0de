#include "trace/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "trace/checked_pages.h"
#include "trace/event_rows.h"
#include "trace/file_place.h"
#include "trace/journal_json.h"
#include "trace/journal_rows.h"
#include "trace/open_options_json.h"
#include "trace/retention.h"
#include "trace/sample_writer.h"
#include "trace/schema_sql.h"

namespace rocktune::trace {
namespace {

// 5 minutes at the default interval: the granularity in which old samples are deleted. A keyframe
// costs a few kB.
constexpr std::uint64_t kKeyframeEvery = 600;
constexpr std::uint64_t kTrimEvery = 16;     // ticks between two looks at the file's size
constexpr std::uint64_t kMostInPoll = 1024;  // of them; more are a time without any sample
constexpr int kWriterBusyTimeoutMs = 100;    // for a reader's checkpoint; a tick has 500 ms

}  // namespace

struct Recorder::State {
  State(Connection opened, SampleWriter sample_writer, std::string file, const Limits& bounds)
      : path(std::move(file)),
        place(path),
        connection(std::move(opened)),
        samples(std::move(sample_writer)),
        retention(connection, bounds) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> prepare();
  Result<void> commit();
  Result<void> check(Result<void> done);  // an error ends the tick: its rows are lost
  Result<void> ensure_tick();
  Result<void> write_registry();
  Result<void> write_incarnation(std::int64_t owner, const IncarnationInfo& info);
  Result<void> trim();
  Statement& journal(std::optional<Statement>& statement, std::int64_t owner,
                     std::uint64_t sequence) {
    return statement->restart().put(owner).put(sequence);
  }

  std::string path;
  FilePlace place;
  Connection connection;
  SampleWriter samples;
  Retention retention;
  std::optional<Statement> alert, decision, actuation, outcome, indicators, database_event, event,
      target, incarnation;

  // Targets and incarnations are told to us once: they are kept until a commit has them.
  std::vector<TargetInfo> new_targets;
  std::vector<std::pair<std::int64_t, IncarnationInfo>> new_incarnations;
  std::int64_t next_target = 1;
  Retention::Targets targets;
  std::map<std::int64_t, std::vector<Indicator>> last_indicators;
  std::optional<Error> tick_error;  // what ended the running tick
  Nanoseconds now_tick{0};
  std::uint64_t ticks = 0, trimmed_ticks = 0;
  std::optional<Nanoseconds> trimmed_at;
};

namespace {

Result<void> insert_target(Statement& row, const TargetInfo& target) {
  row.restart().put(target.id).put(target.name).put(target.path).put(target.mode);
  return row.put(encode_engine_config(target.engine)).execute();
}

Result<void> insert_run(const Connection& connection, const RunInfo& run) {
  auto row = Statement::prepare(connection, "INSERT INTO run VALUES (?, ?, ?, ?)");
  if (!row) return tl::unexpected(row.error());
  row->put(run.daemon_version).put(run.host);
  return row->put(std::int64_t{run.started_wall.count()}).put(run.poll_interval_seconds).execute();
}

// Incremental growth is left to SQLite; synchronous=NORMAL means that a power cut may lose the
// last commits but never the file, and that only checkpoints wait for the disk.
Result<void> set_up(Connection& connection, const RunInfo& run) {
  sqlite3_busy_timeout(connection.handle(), kWriterBusyTimeoutMs);
  const std::string size = "PRAGMA page_size = " + std::to_string(kPageBytes);
  if (auto done = connection.run(size); !done) return done;
  if (auto done = reserve_page_checks(connection.handle()); !done) return done;
  const std::string sql =
      "PRAGMA journal_mode = WAL; "
      "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216; "
      "PRAGMA application_id = " +
      std::to_string(kApplicationId) + "; BEGIN; " + schema_sql() +
      "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  if (auto done = connection.run(sql); !done) return done;
  if (auto done = insert_run(connection, run); !done) return done;
  return connection.run("COMMIT");
}

}  // namespace

Result<Recorder> Recorder::create(const std::string& path, const RunInfo& run, const Limits& limits,
                                  std::int64_t first_target) {
  const std::string context = "cannot create trace " + path;
  // SQLite knows no exclusive creation.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (file < 0) {
    const int error = errno;
    if (error == EEXIST) {
      return fail(ErrorCode::kConflict, context + ": it exists already; each run needs its own");
    }
    const bool forbidden = error == EACCES || error == EPERM || error == EROFS;
    return fail(forbidden ? ErrorCode::kPermission : ErrorCode::kIo,
                context + ": " + std::generic_category().message(error) +
                    "; check that its directory exists and can be written");
  }
  ::close(file);
  auto state = start(path, run, limits);
  if (state) (*state)->next_target = first_target;
  if (state) return Recorder(std::move(*state));
  for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((path + suffix).c_str());
  return tl::unexpected(state.error().within(context));
}

Result<std::unique_ptr<Recorder::State>> Recorder::start(const std::string& path,
                                                         const RunInfo& run, const Limits& limits) {
  auto connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) return tl::unexpected(connection.error());
  if (auto done = set_up(*connection, run); !done) return tl::unexpected(done.error());
  auto samples = SampleWriter::create(*connection, kKeyframeEvery);
  if (!samples) return tl::unexpected(samples.error());
  auto state = std::make_unique<State>(std::move(*connection), std::move(*samples), path, limits);
  if (auto done = state->prepare(); !done) return tl::unexpected(done.error());
  return state;
}

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::~Recorder() = default;
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

const std::string& Recorder::path() const {
  return state_->path;
}

bool Recorder::is_in_place() const {
  return state_->place.look() == FilePlace::Now::kThere;
}

std::int64_t Recorder::next_target() const {
  return state_->next_target;
}

// Nobody is left to tell of an error here. A file without WAL can be read from anywhere, also from
// a read-only directory; where a reader has it open it stays as it is. The WAL goes by its name, by
// which another file may have one.
Recorder::State::~State() {
  (void)commit();
  (void)connection.run("PRAGMA wal_checkpoint(TRUNCATE)");
  if (place.look() == FilePlace::Now::kOther) return;
  (void)connection.run("PRAGMA journal_mode = DELETE");
}

Result<void> Recorder::State::prepare() {
  const std::pair<std::optional<Statement>*, std::string> statements[] = {
      {&alert, insert_into("alerts", alert_columns())},
      {&decision, insert_into("decisions", decision_columns())},
      {&actuation, insert_into("actuations", actuation_columns())},
      {&outcome, insert_into("outcomes", outcome_columns())},
      {&indicators, insert_into("indicators", indicator_columns())},
      {&database_event, insert_into("database_events", event_columns())},
      {&event, "INSERT INTO events (target, wall_ns, tick_ns, kind, json) VALUES (?, ?, ?, ?, ?)"},
      {&target, "INSERT INTO targets VALUES (?, ?, ?, ?, ?)"},
      {&incarnation,
       "UPDATE incarnations SET pid = ?, command = ?, rocksdb_version = ?, agent_version = ?, "
       "limiter = ?, statistics = ?, options = ? WHERE id = ?"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = Statement::prepare(connection, sql);
    if (!prepared) return tl::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<void> Recorder::State::check(Result<void> done) {
  if (done) return done;
  // SQLite may have rolled back by itself (a full disk).
  if (connection.in_transaction()) (void)connection.run("ROLLBACK");
  samples.forget();
  last_indicators.clear();
  tick_error = done.error().within("trace " + path);
  return tl::unexpected(*tick_error);
}

Result<void> Recorder::State::ensure_tick() {
  if (tick_error) return tl::unexpected(*tick_error);
  if (connection.in_transaction()) return {};
  if (auto done = check(connection.run("BEGIN IMMEDIATE")); !done) return done;
  return check(write_registry());
}

// What a lost tick took with it.
Result<void> Recorder::State::write_registry() {
  for (const TargetInfo& info : new_targets) {
    if (auto done = insert_target(*target, info); !done) return done;
  }
  for (const auto& [owner, info] : new_incarnations) {
    if (auto done = write_incarnation(owner, info); !done) return done;
  }
  return {};
}

Result<void> Recorder::State::write_incarnation(std::int64_t owner, const IncarnationInfo& info) {
  const auto id = samples.incarnation_id(owner, info.incarnation);
  if (!id) return tl::unexpected(id.error());
  Statement& row = incarnation->restart().put(info.pid).put(info.command);
  row.put(info.rocksdb_version).put(info.agent_version).put(info.limiter).put(info.statistics);
  return row.put(encode_open_options(info.options)).put(*id).execute();
}

Result<void> Recorder::State::trim() {
  if (++ticks % kTrimEvery != 0 && !retention.trimming()) return {};
  // Once in a poll, whose samples of all databases have one tick: each takes a while.
  if (trimmed_at == now_tick && ticks - trimmed_ticks < kMostInPoll) return {};
  trimmed_at = now_tick;
  trimmed_ticks = ticks;
  const auto done = retention.trim(now_tick, targets);
  if (!done) return tl::unexpected(done.error());
  if (!*done) samples.begin_keyframes();
  return {};
}

void Recorder::set_limits(const Limits& limits) {
  state_->retention.set_limits(limits);
}

void Recorder::forget(std::int64_t target) {
  state_->samples.forget(target);
  state_->last_indicators.erase(target);
  if (state_->targets.contains(target)) state_->targets[target] = false;
}

bool Recorder::outgrown() const {
  return state_->retention.trimming();
}

// What is trimmed is the oldest of all, and ids rise.
std::optional<Nanoseconds> Recorder::reaches_back_to() const {
  auto row =
      Statement::prepare(state_->connection, "SELECT wall_ns FROM samples ORDER BY id LIMIT 1");
  if (!row || !row->step().value_or(false)) return std::nullopt;
  return Nanoseconds(row->take_int());
}

bool Recorder::has(std::int64_t target) const {
  return state_->targets.contains(target);
}

Result<void> Recorder::begin_tick() {
  if (state_->connection.in_transaction()) {
    if (auto done = commit(); !done) return done;
  }
  state_->tick_error.reset();
  return state_->ensure_tick();
}

Result<std::int64_t> Recorder::add_target(const TargetInfo& target) {
  if (auto ready = state_->ensure_tick(); !ready) return tl::unexpected(ready.error());
  TargetInfo info = target;
  info.id = state_->next_target;
  if (auto done = state_->check(insert_target(*state_->target, info)); !done) {
    return tl::unexpected(done.error());
  }
  ++state_->next_target;
  state_->new_targets.push_back(info);
  state_->targets[info.id] = true;
  return info.id;
}

Result<void> Recorder::add_incarnation(std::int64_t target, const IncarnationInfo& incarnation) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  auto done = state_->check(state_->write_incarnation(target, incarnation));
  if (done) state_->new_incarnations.emplace_back(target, incarnation);
  return done;
}

Result<void> Recorder::add_sample(std::int64_t target, const Sample& sample) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  state_->now_tick = sample.at.tick;
  if (state_->targets.contains(target)) state_->targets[target] = true;
  return state_->check(state_->samples.write(target, sample));
}

namespace {

void put_indicator(Statement& row, const std::vector<Indicator>& all, IndicatorKind kind) {
  for (const Indicator& indicator : all) {
    if (indicator.kind != kind) continue;
    row.put(to_string(indicator.state)).put(indicator.probability).put(indicator.eta_seconds);
    row.put(indicator.event).put(indicator.valid).put(indicator.cause);
    return;
  }
  for (int i = 0; i < 6; ++i) row.put_null();
}

// Smaller moves of a probability are left out: a replay computes them.
constexpr double kProbabilityStep = 0.05;

bool same_to_the_eye(const std::vector<Indicator>& a, const std::vector<Indicator>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const Indicator& left, const Indicator& right) {
        return left.kind == right.kind && left.state == right.state &&
               std::abs(left.probability - right.probability) < kProbabilityStep &&
               left.event == right.event && left.valid == right.valid && left.cause == right.cause;
      });
}

}  // namespace

Result<void> Recorder::add_indicators(std::int64_t target, std::uint64_t sequence,
                                      const std::vector<Indicator>& indicators) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  std::vector<Indicator>& last = state_->last_indicators[target];
  if (same_to_the_eye(last, indicators)) return {};
  Statement& row = state_->journal(state_->indicators, target, sequence);
  for (const auto kind :
       {IndicatorKind::kP99, IndicatorKind::kCompactionBacklog, IndicatorKind::kDeviceSaturation}) {
    put_indicator(row, indicators, kind);
  }
  last = indicators;
  return state_->check(row.execute());
}

Result<void> Recorder::add_alert(std::int64_t target, std::uint64_t sequence,
                                 const AlertChange& alert) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  Statement& row = state_->journal(state_->alert, target, sequence);
  put_alert(row, alert);
  return state_->check(row.execute());
}

Result<void> Recorder::add_decision(std::int64_t target, std::uint64_t sequence,
                                    const Decision& decision) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  Statement& row = state_->journal(state_->decision, target, sequence);
  put_decision(row, decision);
  return state_->check(row.execute());
}

Result<void> Recorder::add_actuation(std::int64_t target, std::uint64_t sequence,
                                     const Actuation& actuation) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  Statement& row = state_->journal(state_->actuation, target, sequence);
  put_actuation(row, actuation);
  return state_->check(row.execute());
}

Result<void> Recorder::add_outcome(std::int64_t target, std::uint64_t sequence,
                                   const Outcome& outcome) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  Statement& row = state_->journal(state_->outcome, target, sequence);
  put_outcome(row, outcome);
  return state_->check(row.execute());
}

Result<void> Recorder::add_database_event(std::int64_t target, std::uint64_t sequence,
                                          const DatabaseEvent& event) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  const auto incarnation = state_->samples.incarnation_id(target, event.incarnation);
  if (!incarnation) return state_->check(tl::unexpected(incarnation.error()));
  Statement& row = state_->journal(state_->database_event, target, sequence);
  put_event(row, *incarnation, event);
  return state_->check(row.execute());
}

Result<void> Recorder::add_event(std::optional<std::int64_t> target, Instant at,
                                 const std::string& kind, const std::string& json) {
  if (auto ready = state_->ensure_tick(); !ready) return ready;
  Statement& row = state_->event->restart().put(target);
  row.put(std::int64_t{at.wall.count()}).put(std::int64_t{at.tick.count()}).put(kind).put(json);
  return state_->check(row.execute());
}

Result<void> Recorder::State::commit() {
  if (tick_error) return tl::unexpected(*std::exchange(tick_error, std::nullopt));
  if (!connection.in_transaction()) return {};
  if (auto done = check(trim()); !done) return done;
  if (auto done = check(connection.run("COMMIT")); !done) return done;
  new_targets.clear();
  new_incarnations.clear();
  return {};
}

Result<void> Recorder::commit() {
  return state_->commit();
}

}  // namespace rocktune::trace
