// The part of Parser that takes what EVENT_LOG_v1 lines say.
#include <algorithm>
#include <utility>

#include "trace/rocksdb_log/parser.h"

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr std::size_t kMostWord = 1024;                  // a name, a status
constexpr Micros kMostApart = std::chrono::minutes(15);  // an event and its line

LevelFiles levels_of(const EventJson& json) {
  const auto found = json.lists.find("lsm_state");
  if (found == json.lists.end() || found->second.size() > 64) return {};
  // A list that is cut off may lack levels.
  return json.whole ? found->second : LevelFiles{};
}

std::string bounded(std::string text) {
  if (text.size() > kMostWord) text.resize(kMostWord);
  return text;
}

// The agent's spelling: "WriteBufferFull" of "Write Buffer Full".
std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

}  // namespace

std::string Parser::family_of(const EventJson& json, std::uint64_t job) const {
  if (std::string name = json.word("cf_name"); !name.empty()) return bounded(std::move(name));
  const auto known = job_families_.find(job);
  return known == job_families_.end() ? std::string() : known->second;
}

bool Parser::take_event(const LogLine& line) {
  const EventJson json = parse_event_json(line.text.substr(kEventPrefix.size()));
  const auto micros = json.number("time_micros");
  // A wrong clock must not move the events of one line away from its neighbours.
  if (micros && *micros < std::uint64_t{1} << 60) {
    const Micros told(static_cast<std::int64_t>(*micros));
    if (told - at_ < kMostApart && at_ - told < kMostApart) at_ = told;
  }
  const std::string kind = json.word("event");
  const auto job = json.number("job");
  if (!job) return false;
  if (kind == "flush_started") {
    auto entries = json.number("num_entries");
    if (!entries) entries = json.number("total_num_input_entries");  // since RocksDB 10
    tell(FlushStarted{*job, family_of(json, *job), std::string(line.thread.substr(0, 64)),
                      without_spaces(bounded(json.word("flush_reason"))),
                      json.number("num_memtables"), entries, json.number("total_data_size")});
    return true;
  }
  if (kind == "flush_finished") {
    tell(FlushFinished{*job, family_of(json, *job), levels_of(json),
                       json.number("immutable_memtables")});
    return true;
  }
  if (kind == "table_file_creation") {
    const auto file = json.number("file_number");
    const auto bytes = json.number("file_size");
    if (file && bytes) {
      tell(TableCreated{*job, family_of(json, *job), *file, *bytes, std::nullopt});
    }
    return file && bytes;
  }
  if (kind == "table_file_deletion") {
    const auto file = json.number("file_number");
    if (file) tell(TableDeleted{*file});
    return file.has_value();
  }
  return take_compaction(line, json, *job);
}

bool Parser::take_compaction(const LogLine& line, const EventJson& json, std::uint64_t job) {
  const std::string kind = json.word("event");
  if (kind == "compaction_started") {
    CompactionStarted started{job,
                              family_of(json, job),
                              std::string(line.thread.substr(0, 64)),
                              json.word("compaction_reason"),
                              {},
                              json.number("input_data_size")};
    for (const auto& [name, files] : json.lists) {
      std::string_view level = name;
      if (!level.starts_with("files_L")) continue;
      level.remove_prefix(7);
      const auto number = take_number(level);
      if (number && *number < 64) started.inputs.emplace_back(*number, files);
    }
    tell(std::move(started));
    return true;
  }
  if (kind != "compaction_finished") return false;
  CompactionFinished finished;
  finished.job = job;
  finished.family = family_of(json, job);
  finished.status = bounded(json.word("status"));
  finished.output_level = json.number("output_level");
  finished.output_files = json.number("num_output_files");
  finished.output_bytes = json.number("total_output_size");
  finished.input_records = json.number("num_input_records");
  finished.output_records = json.number("num_output_records");
  finished.elapsed_us = json.number("compaction_time_micros");
  finished.cpu_us = json.number("compaction_time_cpu_micros");
  finished.levels = levels_of(json);
  tell(std::move(finished));
  return true;
}

}  // namespace rocktune::trace::rocksdb_log
