#include "trace/rocksdb_log/trace_builder.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "trace/json_text.h"

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr Micros kLongestSilence = std::chrono::hours(1);  // RocksDB dumps stats every 10 minutes
constexpr Nanoseconds kFirstTick = std::chrono::hours(1);  // any; ticks are never negative
constexpr std::size_t kSamplesPerCommit = 256;
constexpr std::size_t kMostPending = 10'000;  // events between two samples
constexpr std::size_t kMostDumps = 16;        // the same, of stats
constexpr std::size_t kMostHeader = 1000;     // events; RocksDB's has some 100 options
// Before the nanoseconds of 64 bits end (2262); a LOG's own times are before 2201.
constexpr Micros kLatestTime =
    std::chrono::sys_days(std::chrono::year(2250) / 1 / 1).time_since_epoch();

constexpr const char* kFromLog = "as a RocksDB LOG told it";
constexpr const char* kOverridden =
    "a RocksDB LOG tells of max_background_compactions or max_background_flushes, which override "
    "it";
constexpr const char* kNotInLog = "a RocksDB LOG does not tell it";

// As in the table of incarnations; empty where no header told it.
std::string who_brought(const std::optional<bool>& there) {
  if (!there) return "";
  return *there ? "host" : "none";
}

}  // namespace

TraceBuilder::TraceBuilder(Recorder& recorder, const ImportRequest& request, Micros start,
                           std::vector<SideReader> sides, ImportSummary& summary, GoOn go_on)
    : recorder_(recorder),
      request_(request),
      summary_(summary),
      sides_(std::move(sides)),
      go_on_(std::move(go_on)),
      start_(start),
      interval_(request.interval),
      now_(start) {}

Instant TraceBuilder::instant(Micros at) const {
  const Micros since = std::max(at - start_, Micros{0});
  return {Nanoseconds(start_ + since), kFirstTick + Nanoseconds(since)};
}

std::string TraceBuilder::incarnation() const {
  const Session& session = timeline_.session();
  return "log:" + (session.id.empty() ? std::to_string(session.number) : session.id);
}

std::string TraceBuilder::database_name() const {
  if (!request_.name.empty()) return request_.name;
  const std::string& path = timeline_.session().path;
  return path.empty() ? request_.source : path;
}

// Times go on from where they are when the clock was set back.
Micros TraceBuilder::continued(Micros at) {
  if (at + shift_ < now_ - kClockSetBack) {
    shift_ = now_ - at;
    ++summary_.set_backs;
  }
  return std::max(at + shift_, now_);
}

Result<void> TraceBuilder::add(const TimedEvent& event) {
  const Micros at = continued(event.at);
  if (at > kLatestTime) {
    ++beyond_;
    return {};
  }
  if (belongs_to_header(event.event)) {
    header_.push_back({at, event.event});
    return {};
  }
  // A crashed database says nothing of its end.
  if (timeline_.begins_session(event.event)) skip_until(at);
  if (auto done = release_header(); !done) return done;
  return apply({at, event.event});
}

// Whether it is to be held with what stands before the session's id, or before the recovery.
bool TraceBuilder::belongs_to_header(const LogEvent& event) const {
  if (std::holds_alternative<VersionTold>(event)) return header_.size() < kMostHeader;
  const bool header = std::holds_alternative<HostTold>(event) ||
                      std::holds_alternative<DatabaseTold>(event) ||
                      std::holds_alternative<OptionTold>(event);
  return header && !header_.empty() && header_.size() < kMostHeader;
}

Result<void> TraceBuilder::release_header() {
  for (const TimedEvent& event : std::exchange(header_, {})) {
    if (auto done = apply({std::max(event.at, now_), event.event}); !done) return done;
  }
  return {};
}

Result<void> TraceBuilder::apply(const TimedEvent& event) {
  const Micros at = event.at;
  if (auto done = sample_until(at); !done) return done;
  timeline_.apply(event);
  now_ = at;
  collect(at);
  if (pending_.size() <= kMostPending && timeline_.waiting_dumps() <= kMostDumps) return {};
  if (auto done = ensure_session(); !done) return done;
  if (auto done = record_dumps(); !done) return done;
  return record_events();
}

Result<void> TraceBuilder::sample_until(Micros at) {
  const bool silent = at - now_ > kLongestSilence;
  if (silent || !timeline_.session().open) {
    skip_until(at);
    return {};
  }
  const std::int64_t last = last_step_before(at);
  while (step_ <= last) {
    if (auto done = record_sample(); !done) return done;
  }
  return {};
}

void TraceBuilder::skip_until(Micros at) {
  step_ = std::max(step_, last_step_before(at) + 1);
}

std::int64_t TraceBuilder::last_step_before(Micros at) const {
  return at <= start_ ? 0 : (at - start_ - Micros{1}) / interval_;
}

void TraceBuilder::count_stall(const DatabaseEvent& event, Micros at) {
  const auto before = event.words.find("before");
  if (event.kind != event::kStall || before == event.words.end()) return;
  if (before->second == "normal") ++summary_.stalls;
  const auto length = event.numbers.find("before_us");
  if (event.words.at("condition") != "normal" || length == event.numbers.end()) return;
  const Micros since = at - Micros(length->second);
  if ((since - start_) / interval_ == (at - start_) / interval_) ++summary_.short_stalls;
}

// What the timeline told since the last call.
void TraceBuilder::collect(Micros at) {
  const Session& session = timeline_.session();
  if (session.number != session_) event_number_ = 0;
  for (auto& [when, event] : timeline_.take_events()) {
    event.incarnation = incarnation();
    event.number = ++event_number_;
    event.at = instant(std::min(when, at));
    count_stall(event, when);
    ++summary_.events[event.kind];
    pending_.push_back(std::move(event));
  }
  if (session.number != session_ && session.open) {
    session_ = session.number;
    ++summary_.sessions;
  }
}

Result<void> TraceBuilder::ensure_session() {
  const Session& session = timeline_.session();
  if (target_ == 0) {
    TargetInfo target;
    target.name = database_name();
    target.path = session.path.empty() ? request_.source : session.path;
    target.mode = "observe";
    const auto id = recorder_.add_target(target);
    if (!id) return tl::unexpected(id.error());
    target_ = *id;
  }
  if (recorded_session_ == session.number) return {};
  recorded_session_ = session.number;
  IncarnationInfo info;
  info.incarnation = incarnation();
  info.rocksdb_version = session.version;
  info.limiter = who_brought(session.has_limiter);
  info.statistics = who_brought(session.has_statistics);
  if (std::find(summary_.versions.begin(), summary_.versions.end(), session.version) ==
          summary_.versions.end() &&
      !session.version.empty()) {
    summary_.versions.push_back(session.version);
  }
  return recorder_.add_incarnation(target_, info);
}

Result<void> TraceBuilder::record_events() {
  if (pending_.empty()) return {};
  for (const DatabaseEvent& event : std::exchange(pending_, {})) {
    auto done = recorder_.add_database_event(target_, static_cast<std::uint64_t>(step_), event);
    if (!done) return done;
  }
  return {};
}

void TraceBuilder::add_knobs(Sample& sample) const {
  const Session& session = timeline_.session();
  const std::pair<const char*, Counter> knobs[] = {
      {"max_background_jobs", session.max_background_jobs},
      {"max_subcompactions", session.max_subcompactions},
      {"delayed_write_rate", session.delayed_write_rate},
  };
  const bool overridden = session.max_background_compactions || session.max_background_flushes;
  for (const auto& [name, value] : knobs) {
    if (!value) continue;
    const auto number = static_cast<std::int64_t>(*value);
    const bool jobs = std::string_view(name) == "max_background_jobs";
    sample.knobs.edit().push_back({name, "", number, number, KnobOwner::kFound, false,
                                   jobs && overridden ? kOverridden : kFromLog, number, number});
  }
}

Sample TraceBuilder::make_sample(Micros at) {
  Sample sample;
  sample.at = instant(at);
  sample.sequence = static_cast<std::uint64_t>(step_);
  sample.incarnation = incarnation();
  sample.database = timeline_.reading(at);
  sample.database->agent_tick = sample.at.tick;
  sample.database->agent_sequence = sample.sequence;
  for (SideReader& side : sides_) {
    side.advance(at);
    side.fill(at, interval_, sample);
  }
  add_knobs(sample);
  sample.health = {{"agent", ""},
                   {"device", sample.device ? "" : kNotInLog},
                   {"host", sample.host ? "" : kNotInLog}};
  return sample;
}

Result<void> TraceBuilder::record_sample() {
  const Micros at = start_ + step_ * interval_;
  timeline_.settle(at);
  collect(at);
  const bool first = target_ == 0 || uncommitted_ == 0;
  if (first) {
    if (auto done = go_on_(); !done) return done;
    if (auto done = recorder_.begin_tick(); !done) return done;
  }
  if (auto done = ensure_session(); !done) return done;
  const Sample sample = make_sample(at);
  if (auto done = recorder_.add_sample(target_, sample); !done) return done;
  if (auto done = record_events(); !done) return done;
  if (auto done = record_dumps(); !done) return done;
  if (summary_.samples++ == 0) summary_.first = at;
  summary_.last = at;
  const auto& families = sample.database->column_families;
  summary_.column_families = std::max<std::uint64_t>(summary_.column_families, families.size());
  for (const ColumnFamilyReading& family : families) {
    told_levels_ = told_levels_ || !family.levels.empty();
    told_options_ = told_options_ || family.write_buffer_bytes.has_value();
  }
  ++step_;
  uncommitted_ = (uncommitted_ + 1) % kSamplesPerCommit;
  return {};
}

Result<void> TraceBuilder::record_dumps() {
  for (const auto& [at, dump] : timeline_.take_dumps()) {
    Json json{{"numbers", dump.numbers}, {"column_families", Json::object()}};
    for (const auto& [name, stats] : dump.families) {
      Json levels = Json::array();
      for (const auto& level : stats.levels) {
        levels.push_back({{"files", level.files}, {"bytes", level.bytes}, {"score", level.score}});
      }
      Json family{{"levels", std::move(levels)}};
      if (stats.pending_bytes) family["pending_compaction_bytes"] = *stats.pending_bytes;
      json["column_families"][name] = std::move(family);
    }
    auto done = recorder_.add_event(target_, instant(at), "stats_dump", json_text(json));
    if (!done) return done;
  }
  return {};
}

Result<void> TraceBuilder::finish() {
  if (auto done = release_header(); !done) return done;
  timeline_.settle(now_ + kStallSilence);
  collect(now_);
  if (timeline_.session().open) {
    if (auto done = record_sample(); !done) return done;
  } else if (target_ != 0) {
    if (auto done = record_events(); !done) return done;
    if (auto done = record_dumps(); !done) return done;
  }
  if (summary_.samples == 0) {
    return fail(ErrorCode::kCorrupt, request_.source +
                                         " tells of no time that a trace could hold: "
                                         "its database was open for less than one "
                                         "sample's interval");
  }
  if (auto done = record_import(); !done) return done;
  return recorder_.commit();
}

// What the LOG as a whole told, and did not: in the trace, and for the summary.
Result<void> TraceBuilder::record_import() {
  auto& absent = summary_.absent;
  absent.emplace_back("no latencies: a LOG has none, so the p99 indicator will be invalid");
  std::vector<std::string> mapped;
  for (const SideSpec& side : request_.sides) {
    for (const SideColumn& column : side.columns) mapped.push_back(column.field);
  }
  for (const SideReader& side : sides_) {
    if (!side.damage().empty()) {
      summary_.damage.push_back(side.path() + " is read in part: " + side.damage());
    }
    if (side.bad_rows() == 0) continue;
    summary_.damage.push_back(side.path() + ": " + std::to_string(side.bad_rows()) + " of " +
                              std::to_string(side.rows()) +
                              " rows are left out: cut, no numbers, or a time that does not rise");
  }
  summary_.unknown_family = timeline_.unknown_family();
  if (beyond_ > 0) {
    summary_.damage.push_back(std::to_string(beyond_) +
                              " events are left out: the LOG's clock was set back so often that "
                              "they would be after 2250");
  }
  const auto has = [&](std::string_view prefix) {
    return std::any_of(mapped.begin(), mapped.end(),
                       [&](const std::string& field) { return field.starts_with(prefix); });
  };
  if (!has("device_")) {
    absent.emplace_back("no device: the device_saturation indicator will be invalid");
  }
  if (!has("process_")) absent.emplace_back("no host, pressure or process figures");
  if (!has("keys_")) absent.emplace_back("no rates of operations (--side can give them)");
  absent.emplace_back("no active memtable sizes, cache use, limiter or stall time");
  if (!told_levels_) absent.emplace_back("no levels: the LOG tells of no flush or compaction");
  if (!told_options_) {
    absent.emplace_back("no options: the LOG's header is missing, so no limit is known");
  }
  const Json json{{"source", request_.source},
                  {"lines", summary_.lines.lines},
                  {"lines_used", summary_.lines.used},
                  {"lines_damaged", summary_.lines.damaged},
                  {"events_of_unknown_family", summary_.unknown_family},
                  {"clock_set_backs", summary_.set_backs},
                  {"rocksdb_versions", summary_.versions},
                  {"damage", summary_.damage},
                  {"absent", absent}};
  return recorder_.add_event(target_, instant(now_), "import", json_text(json));
}

}  // namespace rocktune::trace::rocksdb_log
