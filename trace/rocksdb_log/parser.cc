#include "trace/rocksdb_log/parser.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr std::size_t kMostJobs = 4096;  // some 100 run at once where much runs
constexpr std::size_t kMostFamilyIds = 10'000;
constexpr std::size_t kMostHeld = 1000;  // lines, of a stats dump say
constexpr Micros kFarApart = std::chrono::hours(3 * 24);
constexpr std::size_t kMostName = 1024;                 // of a column family
constexpr std::int64_t kMostZoneSteps = 60;             // no zone is more than 14 hours ahead
constexpr Micros kZoneStep = std::chrono::minutes(15);  // what time zones are multiples of

bool printable_text(std::string_view line) {
  return std::none_of(line.begin(), line.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; });
}

// "files[3 5 42 0] ...": nullopt when there is none, or no end.
std::optional<LevelFiles> parse_files(std::string_view text) {
  auto list = between(text, "files[", "]");
  if (!list) return std::nullopt;
  LevelFiles levels;
  while (const auto count = take_number(*list)) {
    levels.push_back(*count);
    *list = trimmed(*list);
    if (levels.size() > 64) return std::nullopt;
  }
  if (!list->empty() || levels.empty()) return std::nullopt;
  return levels;
}

// An hour more or less than the line before: summer time began or ended, rather than that nothing
// was written for as long. How far the local clock went; the next event, which carries UTC, tells.
std::optional<Micros> summer_time_between(Micros before, Micros now) {
  using std::chrono::minutes;
  const Micros apart = now > before ? now - before : before - now;
  if (apart <= minutes(50) || apart >= minutes(70)) return std::nullopt;
  return now > before ? minutes(60) : -minutes(60);
}

}  // namespace

bool far_apart(Micros a, Micros b) {
  return a - b > kFarApart || b - a > kFarApart;
}

std::optional<Micros> utc_offset(std::string_view text) {
  const auto line = parse_log_line(text);
  if (!line || !line->text.starts_with(kEventPrefix)) return std::nullopt;
  const auto utc = number_after(line->text, "\"time_micros\": ");
  if (!utc || *utc > std::uint64_t{1} << 60) return std::nullopt;
  const Micros ahead = line->at - Micros(static_cast<std::int64_t>(*utc));
  const auto steps = (ahead + (ahead.count() < 0 ? -kZoneStep / 2 : kZoneStep / 2)) / kZoneStep;
  if (std::abs(steps) > kMostZoneSteps) return std::nullopt;
  return steps * kZoneStep;
}

void Parser::tell(LogEvent event) {
  out_->push_back({at_, std::move(event)});
}

void Parser::remember_job(std::string_view family, std::uint64_t job) {
  if (family.size() > kMostName) return;
  if (job_families_.insert_or_assign(job, family).second) job_order_.push_back(job);
  if (job_order_.size() <= kMostJobs) return;
  job_families_.erase(job_order_.front());
  job_order_.pop_front();
}

// Jobs and column families are numbered anew at each open.
void Parser::forget_open() {
  job_families_.clear();
  job_order_.clear();
  family_ids_.clear();
}

void Parser::finish_dump(std::vector<TimedEvent>& out) {
  if (dump_) out.push_back({dump_at_, dump_->dump()});
  dump_.reset();
}

void Parser::end_of_file(std::vector<TimedEvent>& out) {
  // A LOG of one line is taken by its word.
  if (last_time_) {
    drop_held();
  } else {
    release_held(out);
  }
  finish_dump(out);
  section_ = Section::kNone;
}

void Parser::release_held(std::vector<TimedEvent>& out) {
  if (held_.empty()) return;
  last_time_ = held_time_;
  for (const HeldLine& line : std::exchange(held_, {})) take_text(line.text, line.cut, out);
}

void Parser::drop_held() {
  counts_.damaged += held_.size();
  held_.clear();
}

void Parser::add(std::string_view text, bool cut, std::vector<TimedEvent>& out) {
  ++counts_.lines;
  const auto line = parse_log_line(text);
  if (!line) {
    if (held_.empty() || held_.size() >= kMostHeld) return take_text(text, cut, out);
    held_.push_back({std::string(text), cut});
    return;
  }
  if (!held_.empty() && !far_apart(line->written, held_time_)) {
    release_held(out);
  } else {
    drop_held();
    if (!last_time_ || far_apart(line->written, *last_time_)) {
      held_time_ = line->written;
      held_.push_back({std::string(text), cut});
      return;
    }
  }
  last_time_ = line->written;
  take_text(text, cut, out);
}

void Parser::take_text(std::string_view text, bool cut, std::vector<TimedEvent>& out) {
  if (const auto offset = utc_offset(text)) offset_ = *offset;
  out_ = &out;
  const auto line = parse_log_line(text);
  const bool used = line ? take(*line, out) : take_continuation(text, out);
  if (used) {
    ++counts_.used;
  } else if (cut || !printable_text(text)) {
    ++counts_.damaged;
  } else {
    ++counts_.passed_over;
  }
}

bool Parser::take_continuation(std::string_view text, std::vector<TimedEvent>& /*out*/) {
  if (dump_) return dump_->add(text);
  if (section_ != Section::kTableOptions) return false;
  text = trimmed(text);
  if (!text.starts_with("capacity : ")) return false;
  tell(OptionTold{options_family_, "block_cache_capacity", std::string(text.substr(11, 40))});
  return true;
}

bool Parser::take(const LogLine& line, std::vector<TimedEvent>& out) {
  at_ = line.at - offset_;
  const bool is_event = line.text.starts_with(kEventPrefix);
  if (is_event) {
    unsure_ = Micros{0};
    hourly_ = false;
  } else if (const auto step = last_line_ ? summer_time_between(*last_line_, at_) : std::nullopt) {
    hourly_ = hourly_ || unsure_ == *step;
    unsure_ = hourly_ ? Micros{0} : *step;
  }
  last_line_ = at_;
  at_ -= unsure_;
  if (dump_ && !line.text.empty()) finish_dump(out);
  if (is_event) return take_event(line);
  // Between the new options stand lines of other threads.
  const bool new_option = section_ == Section::kNewOptions && line.thread == options_thread_;
  if (line.text.starts_with("Options.") || new_option) {
    if (take_option(line)) return true;
  }
  if (section_ != Section::kNewOptions || new_option) section_ = Section::kNone;
  if (line.text.starts_with("table_factory options:")) {
    section_ = Section::kTableOptions;
    return true;
  }
  if (line.text.find("DUMPING STATS") != std::string_view::npos) {
    dump_.emplace();
    dump_at_ = at_;
    return true;
  }
  if (!line.family.empty()) return take_state(line);
  return take_header(line);
}

bool Parser::take_header(const LogLine& line) {
  const std::string_view text = line.text;
  const auto value = [&](std::string_view name) {
    return std::string(trimmed(text.substr(name.size())));
  };
  if (text.starts_with("RocksDB version: ")) {
    options_family_.clear();
    last_line_.reset();
    unsure_ = Micros{0};
    hourly_ = false;
    return tell(VersionTold{value("RocksDB version: ")}), true;
  }
  if (text.starts_with("DB Session ID: ")) {
    std::string id = value("DB Session ID: ").substr(0, kMostName);
    // On top of a rolled file stands the header of the same session again.
    if (id != session_) forget_open();
    session_ = id;
    return tell(SessionTold{std::move(id)}), true;
  }
  if (text.starts_with("Host name (Env): "))
    return tell(HostTold{value("Host name (Env): ")}), true;
  if (text.starts_with("SST files in ")) {
    const auto path = between(text, "SST files in ", " dir, ");
    const auto files = number_after(text, "Total Num: ");
    if (path && files) tell(DatabaseTold{std::string(*path), *files});
    return path && files;
  }
  if (text.starts_with("Recovering from manifest file:")) {
    forget_open();
    return tell(RecoveryBegan{}), true;
  }
  if (text.starts_with("Shutdown: canceling all background work")) return tell(ShutDown{}), true;
  if (take_family_id(text)) return true;
  if (const auto family = between(text, "Options for column family [", "]:")) {
    options_family_ = family->substr(0, kMostName);
    return true;
  }
  if (text.starts_with("SetDBOptions() succeeded")) {
    options_family_.clear();
    return true;
  }
  return take_new_options(line);
}

// "Set options on column family [hot] (0/1) succeeded, updated CF options:", since RocksDB 10.11;
// before, "[hot] SetOptions() succeeded". The same with "inputs:" tells what was asked for.
bool Parser::take_new_options(const LogLine& line) {
  constexpr std::string_view kBegin = "Set options on column family [";
  if (!line.text.starts_with(kBegin)) return false;
  const auto name = between(line.text, kBegin, "] (");
  const auto rest = between(line.text, "] (", "");
  if (!name || !rest || rest->find(") succeeded") == std::string_view::npos) return false;
  begin_new_options(*name, line);
  return true;
}

void Parser::begin_new_options(std::string_view family, const LogLine& line) {
  options_family_ = family.substr(0, kMostName);
  options_thread_ = line.thread;
  section_ = Section::kNewOptions;
}

// "Column family [hot] (ID 3), log number is 9", "Created column family [hot] (ID 3)", and without
// the name "Dropped column family with id 3".
bool Parser::take_family_id(std::string_view text) {
  if (const auto id = number_after(text, "Dropped column family with id ")) {
    const auto known = family_ids_.find(*id);
    if (known == family_ids_.end()) return false;
    tell(FamilyDropped{known->second});
    family_ids_.erase(known);
    return true;
  }
  const bool created = text.starts_with("Created column family [");
  if (!created && !text.starts_with("Column family [")) return false;
  const auto name = between(text, "olumn family [", "] (ID ");
  const auto id = number_after(text, "] (ID ");
  if (!name || !id || family_ids_.size() >= kMostFamilyIds) return false;
  family_ids_[*id] = name->substr(0, kMostName);
  if (created) tell(FamilyCreated{family_ids_[*id]});
  return true;
}

// "Options.write_buffer_size: 67108864", and after a successful SetOptions "write_buffer_size:
// ...".
bool Parser::take_option(const LogLine& line) {
  std::string_view text = line.text;
  if (text.starts_with("Options.")) {
    text.remove_prefix(8);
  } else if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") != text.find(':')) {
    return false;  // no name
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto name = trimmed(text.substr(0, colon));
  const auto value = trimmed(text.substr(colon + 1));
  if (name.size() > 100 || value.size() > 200) return false;
  tell(OptionTold{options_family_, std::string(name), std::string(value)});
  return true;
}

// What a line "[family] ..." says of it.
bool Parser::take_state(const LogLine& line) {
  const std::string_view text = line.text;
  const std::string family(line.family.substr(0, kMostName));
  if (const auto job = number_after(text, "[JOB "); job && text.starts_with("[JOB ")) {
    remember_job(line.family, *job);
    return true;
  }
  if (text.starts_with("New memtable created")) {
    const auto before = number_after(text, "Immutable memtables: ");
    if (before) tell(MemtableSwitched{family, *before});
    return before.has_value();
  }
  if (text.starts_with("Stalling writes because") || text.starts_with("Stopping writes because")) {
    return take_stall(line);
  }
  if (text.starts_with("Increasing compaction threads because of estimated pending")) {
    const auto bytes = number_after(text, "compaction bytes ");
    if (bytes) tell(PendingTold{family, *bytes});
    return bytes.has_value();
  }
  if (text.starts_with("SetOptions() succeeded")) {
    begin_new_options(family, line);
    return true;
  }
  return take_levels(line);
}

bool Parser::take_stall(const LogLine& line) {
  const std::string_view text = line.text;
  StallTold stall;
  stall.family = std::string(line.family.substr(0, kMostName));
  stall.stopped = text.starts_with("Stopping");
  if (text.find("immutable memtables") != std::string_view::npos) {
    stall.cause = StallCause::kMemtables;
  } else if (text.find("level-0 files") != std::string_view::npos) {
    stall.cause = StallCause::kL0Files;
  } else if (text.find("pending compaction bytes") != std::string_view::npos) {
    stall.cause = StallCause::kPendingBytes;
    stall.pending_bytes = number_after(text, "compaction bytes ");
  } else {
    return false;
  }
  stall.rate = number_after(text, " rate ");
  tell(std::move(stall));
  return true;
}

bool Parser::take_levels(const LogLine& line) {
  const std::string_view text = line.text;
  std::string family(line.family.substr(0, kMostName));
  const bool moved = text.starts_with("Moved #") || text.starts_with("Moving #");
  const auto levels = parse_files(text);
  if (!levels && moved) {  // "Moving #47 to level-2 2011692 bytes", in 11.x "Moved #47 ..."
    const auto file = number_after(text, "#");
    const auto level = number_after(text, " to level-");
    if (file && level) tell(FileMoved{std::move(family), *file, *level});
    return file && level;
  }
  if (!levels) return false;
  if (moved) {  // "Moved #4 files to level-2 8046747 bytes OK: files[...]"
    MoveFinished move{family, number_after(text, "#").value_or(0),
                      number_after(text, " to level-").value_or(0), 0};
    auto rest = between(text, " to level-", "").value_or("");
    take_number(rest);
    rest = trimmed(rest);
    move.bytes = take_number(rest).value_or(0);
    tell(std::move(move));
  }
  tell(LevelsTold{std::move(family), *levels,
                  number_after(text, "estimated pending compaction bytes ")});
  return true;
}

}  // namespace rocktune::trace::rocksdb_log
