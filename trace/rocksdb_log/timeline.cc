#include "trace/rocksdb_log/timeline.h"

#include <algorithm>
#include <type_traits>

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr std::size_t kMostFamilies = 10'000;
constexpr std::size_t kMostRunning = 1000;      // jobs of which no end was told
constexpr std::size_t kMostTables = 1'000'000;  // of which it is known whose they are
constexpr std::size_t kMostOutputs = 100'000;   // tables of one job that are known one by one

void put(std::map<std::string, std::int64_t>& numbers, const char* name,
         std::optional<std::uint64_t> value) {
  if (value) numbers[name] = static_cast<std::int64_t>(*value);
}

}  // namespace

void Timeline::apply(const TimedEvent& event) {
  now_ = event.at;
  settle(now_);
  std::visit(
      [&](const auto& told) {
        if (lacks_family(told)) {
          ++unknown_family_;
        } else {
          on(told);
        }
      },
      event.event);
}

// Whether it is of a column family that is known neither by its name nor by its job.
template <class Told>
bool Timeline::lacks_family(const Told& told) const {
  if constexpr (std::is_same_v<Told, OptionTold> || std::is_same_v<Told, TableCreated>) {
    return false;  // of the database, or of a job whose begin was not told
  } else if constexpr (std::is_same_v<Told, FlushFinished> ||
                       std::is_same_v<Told, CompactionFinished>) {
    return told.family.empty() && !jobs_.contains(told.job);
  } else if constexpr (requires { told.family; }) {
    return told.family.empty();
  } else {
    return false;
  }
}

void Timeline::tell(Micros at, std::string kind, const std::string& family,
                    std::map<std::string, std::int64_t> numbers,
                    std::map<std::string, std::string> words) {
  DatabaseEvent event;
  event.kind = std::move(kind);
  event.column_family = family;
  event.numbers = std::move(numbers);
  event.words = std::move(words);
  events_.emplace_back(at, std::move(event));
}

// --- sessions -----------------------------------------------------------------------------------

void Timeline::begin_session(const std::string& id) {
  Session next;
  next.number = session_.number + 1;
  next.open = true;
  next.id = id;
  next.version = session_.version;
  next.host = session_.host;
  next.path = session_.path;
  session_ = std::move(next);
  fresh_ = recovering_ = false;
  order_.clear();
  families_.clear();
  table_families_.clear();
  jobs_.clear();
  flush_bytes_ = read_bytes_ = written_bytes_ = 0;
  stalled_rate_ = cache_capacity_ = std::nullopt;
}

bool Timeline::begins_session(const LogEvent& event) const {
  if (const auto* told = std::get_if<SessionTold>(&event)) {
    return session_.number == 0 || session_.id != told->id;
  }
  return std::holds_alternative<RecoveryBegan>(event) && session_.id.empty();
}

void Timeline::on(const VersionTold& told) {
  session_.version = told.version;
  told_path_ = false;
}

void Timeline::on(const SessionTold& told) {
  if (begins_session(told)) begin_session(told.id);
}

void Timeline::on(const DatabaseTold& told) {
  // With db_paths there is a line for each; the first has the tables of the database's own
  // directory, too.
  if (!told_path_) session_.path = told.path;
  fresh_ = told.table_files == 0 && (fresh_ || !told_path_);
  told_path_ = true;
}

void Timeline::on(const RecoveryBegan& told) {
  if (begins_session(told)) {
    const bool fresh = fresh_;
    const Session header = session_;
    begin_session("");
    fresh_ = fresh;
    session_.has_limiter = header.has_limiter;
    session_.has_statistics = header.has_statistics;
    session_.max_background_jobs = header.max_background_jobs;
    session_.max_background_compactions = header.max_background_compactions;
    session_.max_background_flushes = header.max_background_flushes;
    session_.max_subcompactions = header.max_subcompactions;
    session_.delayed_write_rate = header.delayed_write_rate;
    session_.atomic_flush = header.atomic_flush;
  }
  recovering_ = true;
}

void Timeline::on(const ShutDown& /*told*/) {
  for (auto& [name, state] : families_) {
    if (state.stall_state().condition != StallState::Condition::kNormal) {
      end_stall(name, state, state.stall_state().over_since.value_or(now_));
    }
  }
  session_.open = false;
}

void Timeline::on(const FamilyDropped& told) {
  const auto known = families_.find(told.family);
  if (known == families_.end()) return;
  if (known->second.stall_state().condition != StallState::Condition::kNormal) {
    end_stall(told.family, known->second, now_);
  }
  families_.erase(known);
  std::erase(order_, told.family);
  std::erase_if(jobs_, [&](const auto& entry) { return entry.second.family == told.family; });
}

void Timeline::on(const OptionTold& told) {
  if (!told.family.empty()) {
    family(told.family).set_option(told.name, told.value);
    if (told.name == "block_cache_capacity" && told.family == "default") {
      std::string_view text = told.value;
      cache_capacity_ = take_number(text);
    }
    return;
  }
  std::string_view text = told.value;
  const auto number = take_number(text);
  if (told.name == "max_background_jobs") session_.max_background_jobs = number;
  if (told.name == "max_background_compactions") session_.max_background_compactions = number;
  if (told.name == "max_background_flushes") session_.max_background_flushes = number;
  if (told.name == "max_subcompactions") session_.max_subcompactions = number;
  if (told.name == "delayed_write_rate") session_.delayed_write_rate = number;
  if (told.name == "atomic_flush") session_.atomic_flush = told.value == "1";
  if (told.name == "rate_limiter") session_.has_limiter = told.value.starts_with("0x");
  if (told.name == "statistics") session_.has_statistics = told.value.starts_with("0x");
}

FamilyState& Timeline::family(const std::string& name) {
  if (session_.number == 0) begin_session("");
  const auto known = families_.find(name);
  if (known != families_.end()) return known->second;
  // Beyond the bound one state stands for the rest.
  const std::string& kept = families_.size() < kMostFamilies ? name : order_.front();
  const auto [entry, added] = families_.try_emplace(kept, kept);
  if (added) {
    order_.push_back(kept);
    if (fresh_) entry->second.begin_empty();
  }
  return entry->second;
}

// --- jobs ---------------------------------------------------------------------------------------

// A thread does one job at a time: what it did before has ended without a word (a failed flush).
void Timeline::begin_job(std::uint64_t number, Job job) {
  recovering_ = false;
  std::erase_if(jobs_, [&](const auto& entry) { return entry.second.thread == job.thread; });
  if (jobs_.size() >= kMostRunning) jobs_.erase(jobs_.begin());
  jobs_[number] = std::move(job);
}

void Timeline::on(const FlushStarted& told) {
  family(told.family);
  Job job;
  job.family = told.family;
  job.thread = told.thread;
  job.reason = told.reason;
  job.began = now_;
  job.flushed_bytes = told.data_bytes;
  job.flushed_memtables = told.memtables;
  begin_job(told.job, std::move(job));
  tell(now_, "flush_begin", told.family, {{"job", static_cast<std::int64_t>(told.job)}},
       {{"reason", told.reason}});
}

void Timeline::on(const FlushFinished& told) {
  const auto running = jobs_.find(told.job);
  const Job job = running != jobs_.end() ? running->second : Job{};
  if (running != jobs_.end()) jobs_.erase(running);
  const std::string& name = told.family.empty() ? job.family : told.family;
  FamilyState& state = family(name);
  std::uint64_t records = 0;
  for (const TableCreated& table : job.outputs) {
    add_table(name, 0, table);
    records += table.records.value_or(0);
  }
  if (!told.levels.empty()) state.set_levels(told.levels);
  if (told.immutable_memtables) {
    // Jobs of an atomic flush say that they have finished before what they flushed is installed, of
    // all column families at once: it is still counted.
    const std::uint64_t flushed = session_.atomic_flush ? job.flushed_memtables.value_or(0) : 0;
    state.set_immutable(*told.immutable_memtables - std::min(flushed, *told.immutable_memtables));
  }
  state.done_jobs().add_flush(now_);
  state.install(now_);
  std::map<std::string, std::int64_t> numbers{
      {"job", static_cast<std::int64_t>(told.job)},
      {"output_bytes", static_cast<std::int64_t>(job.output_bytes)},
      {"output_level", 0}};
  put(numbers, "input_bytes", job.flushed_bytes);
  if (records > 0) put(numbers, "output_records", records);
  if (job.began.count() != 0) numbers["elapsed_us"] = (now_ - job.began).count();
  tell(now_, "flush_end", name, std::move(numbers), {{"reason", job.reason}});
}

void Timeline::count_inputs(Job& job, const CompactionStarted& told) {
  for (const auto& [level, files] : told.inputs) {
    job.input_files += files.size();
    if (level == 0) job.level0_files += files.size();
  }
  job.input_bytes = told.input_bytes.value_or(0);
}

void Timeline::on(const CompactionStarted& told) {
  family(told.family);
  Job job;
  job.compaction = true;
  job.family = told.family;
  job.thread = told.thread;
  job.reason = told.reason;
  job.began = now_;
  job.inputs = told;
  std::sort(job.inputs.inputs.begin(), job.inputs.inputs.end());
  count_inputs(job, told);
  std::map<std::string, std::int64_t> numbers{
      {"job", static_cast<std::int64_t>(told.job)},
      {"input_files", static_cast<std::int64_t>(job.input_files)}};
  if (!job.inputs.inputs.empty()) put(numbers, "input_level", job.inputs.inputs.front().first);
  put(numbers, "input_bytes", told.input_bytes);
  begin_job(told.job, std::move(job));
  tell(now_, "compaction_begin", told.family, std::move(numbers), {{"reason", told.reason}});
}

// Inputs go, outputs come. What the LOG has not told the size of took what is left of the job's
// input.
void Timeline::replace_files(const std::string& name, const Job& job, std::uint64_t output_level) {
  FamilyState& state = family(name);
  std::uint64_t known_bytes = 0, unknown_files = 0;
  for (const auto& [level, files] : job.inputs.inputs) {
    for (const std::uint64_t file : files) {
      const auto bytes = state.files().bytes_of(file);
      known_bytes += bytes.value_or(0);
      unknown_files += bytes ? 0 : 1;
    }
  }
  const std::uint64_t unknown_bytes =
      job.input_bytes > known_bytes ? job.input_bytes - known_bytes : 0;
  for (const auto& [level, files] : job.inputs.inputs) {
    const auto unknown = static_cast<std::uint64_t>(
        std::count_if(files.begin(), files.end(),
                      [&](std::uint64_t file) { return !state.files().bytes_of(file); }));
    const double share = unknown == 0
                             ? 0
                             : static_cast<double>(unknown_bytes) * static_cast<double>(unknown) /
                                   static_cast<double>(unknown_files);
    state.files().remove(level, files, static_cast<std::uint64_t>(share));
  }
  for (const TableCreated& table : job.outputs) add_table(name, output_level, table);
}

void Timeline::on(const CompactionFinished& told) {
  const auto running = jobs_.find(told.job);
  const Job job = running != jobs_.end() ? running->second : Job{};
  const bool begun = running != jobs_.end();
  if (begun) jobs_.erase(running);
  const std::string& name = told.family.empty() ? job.family : told.family;
  FamilyState& state = family(name);
  const bool failed = !told.status.empty() && told.status != "OK";
  if (begun && !failed && told.output_level) {
    // Of the same level as the last input where the line is cut before it says so.
    replace_files(name, job, std::min<std::uint64_t>(*told.output_level, 63));
    read_bytes_ += job.input_bytes - job.read_bytes;
  }
  if (begun) state.done_jobs().add_compaction(job.level0_files, now_ - job.began, job.input_bytes);
  if (!told.levels.empty()) state.set_levels(told.levels);
  state.install(now_);
  std::map<std::string, std::int64_t> numbers{{"job", static_cast<std::int64_t>(told.job)}};
  if (begun) {
    put(numbers, "input_files", job.input_files);
    put(numbers, "input_bytes", job.input_bytes);
    if (!job.inputs.inputs.empty()) put(numbers, "input_level", job.inputs.inputs.front().first);
  }
  put(numbers, "output_level", told.output_level);
  put(numbers, "output_files", told.output_files);
  put(numbers, "output_bytes", told.output_bytes);
  put(numbers, "input_records", told.input_records);
  put(numbers, "output_records", told.output_records);
  put(numbers, "elapsed_us", told.elapsed_us);
  put(numbers, "cpu_us", told.cpu_us);
  tell(now_, "compaction_end", name, std::move(numbers),
       {{"reason", job.reason}, {"status", told.status.empty() ? "OK" : told.status}});
}

void Timeline::on(const TableCreated& told) {
  const auto running = jobs_.find(told.job);
  if (running == jobs_.end()) {
    // Of the WAL's replay when the database is opened; others belong to jobs that began before the
    // LOG does, and their level is not known.
    if (!recovering_ || told.family.empty()) return;
    add_table(told.family, 0, told);
    flush_bytes_ += told.bytes;
    return;
  }
  Job& job = running->second;
  if (job.outputs.size() < kMostOutputs) job.outputs.push_back(told);
  job.output_bytes += told.bytes;
  if (!job.compaction) {
    flush_bytes_ += told.bytes;
    return;
  }
  written_bytes_ += told.bytes;
  // How far it has read is not told: about as far as it has written.
  const std::uint64_t read = std::min(job.input_bytes, job.output_bytes);
  read_bytes_ += read - job.read_bytes;
  job.read_bytes = read;
}

void Timeline::add_table(const std::string& name, std::uint64_t level, const TableCreated& table) {
  family(name).files().add(level, table.file, table.bytes);
  if (table_families_.size() < kMostTables) table_families_.insert_or_assign(table.file, name);
}

// What a compaction took in is gone already; others go without one, as with FIFO.
void Timeline::on(const TableDeleted& told) {
  const auto table = table_families_.find(told.file);
  if (table == table_families_.end()) return;
  const auto owner = families_.find(table->second);
  if (owner != families_.end()) owner->second.files().remove(told.file);
  table_families_.erase(table);
}

void Timeline::on(const FileMoved& told) {
  if (told.level < 64) family(told.family).files().move(told.file, told.level);
}

void Timeline::on(const MoveFinished& told) {
  FamilyState& state = family(told.family);
  if (told.level > 1) state.done_jobs().add_move();
  state.install(now_);
  std::map<std::string, std::int64_t> numbers;
  put(numbers, "moved_files", told.files);
  put(numbers, "output_level", told.level);
  put(numbers, "input_bytes", told.bytes);
  tell(now_, "compaction_end", told.family, std::move(numbers), {{"status", "OK"}});
}

// --- the state of a column family ---------------------------------------------------------------

void Timeline::on(const MemtableSwitched& told) {
  FamilyState& state = family(told.family);
  state.set_immutable(told.immutable_before + 1);
  state.install(now_);
}

void Timeline::on(const LevelsTold& told) {
  FamilyState& state = family(told.family);
  state.set_levels(told.levels);
  if (told.pending_bytes) state.set_pending(now_, *told.pending_bytes);
}

void Timeline::on(const PendingTold& told) {
  family(told.family).set_pending(now_, told.bytes);
}

void Timeline::on(const StatsDumped& told) {
  for (const auto& [name, stats] : told.families) {
    if (!name.empty()) family(name).calibrate(stats, now_);
  }
  dumps_.emplace_back(now_, told);
}

}  // namespace rocktune::trace::rocksdb_log
