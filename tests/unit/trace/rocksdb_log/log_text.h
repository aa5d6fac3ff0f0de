// Small RocksDB LOGs for tests, in the spelling of several releases. Written by hand after what
// db_bench of RocksDB 7.8.3 and 11.8.1 writes, and after the format strings of 6.x and 8.x.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace rocktune::trace::rocksdb_log::test {

// The lines of a LOG that begins on 2024-03-01 at 10:00:00 UTC, on a machine two hours ahead of it.
class LogText {
 public:
  static constexpr std::int64_t kStart = 1'709'287'200'000'000;  // microseconds, UTC

  explicit LogText(std::string thread = "7f0000000001") : thread_(std::move(thread)) {}

  LogText& line(double seconds, const std::string& text, const std::string& thread = "") {
    text_ += local(seconds) + " " + (thread.empty() ? thread_ : thread) + " " + text + "\n";
    return *this;
  }
  // As a buffered line: written later than it happened.
  LogText& late(double seconds, double written, const std::string& text) {
    return line(written, "(Original Log Time " + local(seconds) + ") " + text);
  }
  LogText& event(double seconds, const std::string& fields, const std::string& thread = "") {
    return line(seconds, json(seconds, fields), thread);
  }
  LogText& raw(const std::string& text) {
    text_ += text;
    return *this;
  }
  // What RocksDB writes when a new database is opened: 20 and 36 files, two memtables.
  LogText& header(double seconds, const std::string& version, const std::string& session,
                  int table_files = 0) {
    database_header(seconds, version, session, table_files);
    line(seconds, "[db/version_set.cc:1] Recovering from manifest file: /data/db/MANIFEST-000001");
    return family_options(seconds, "default");
  }
  // On top of a rolled file: the lines of the header without a source, as 7.8.3's db_bench repeats
  // them. So there is no recovery, and of whom the options of a column family are is not told.
  LogText& rolled(double seconds, const std::string& version, const std::string& session) {
    return database_header(seconds, version, session, 0).family_dump(seconds);
  }
  LogText& database_header(double seconds, const std::string& version, const std::string& session,
                           int table_files) {
    line(seconds, "RocksDB version: " + version);
    line(seconds, "DB SUMMARY");
    if (!session.empty()) line(seconds, "DB Session ID:  " + session);
    line(seconds,
         "SST files in /data/db dir, Total Num: " + std::to_string(table_files) + ", files: ");
    line(seconds, "                  Options.statistics: 0x55d0");
    line(seconds, "                Options.rate_limiter: (nil)");
    line(seconds, "            Options.max_background_jobs: 2");
    line(seconds, "            Options.max_subcompactions: 1");
    return line(seconds, "            Options.delayed_write_rate : 8388608");
  }
  LogText& family_options(double seconds, const std::string& family) {
    line(seconds,
         "[db/column_family.cc:711] --------------- Options for column family [" + family + "]:");
    return family_dump(seconds);
  }
  LogText& family_dump(double seconds) {
    line(seconds, "            table_factory options:   flush_block_policy_factory: X (0x1)");
    raw("  block_cache_options:\n    capacity : 8388608\n");
    const char* options[] = {"write_buffer_size: 67108864",
                             "max_write_buffer_number: 2",
                             "num_levels: 7",
                             "level0_file_num_compaction_trigger: 4",
                             "level0_slowdown_writes_trigger: 20",
                             "level0_stop_writes_trigger: 36",
                             "target_file_size_base: 67108864",
                             "max_bytes_for_level_base: 268435456",
                             "level_compaction_dynamic_level_bytes: 0",
                             "max_bytes_for_level_multiplier: 10.000000",
                             "soft_pending_compaction_bytes_limit: 68719476736",
                             "hard_pending_compaction_bytes_limit: 137438953472",
                             "compaction_style: kCompactionStyleLevel"};
    for (const char* option : options) line(seconds, std::string("    Options.") + option);
    return *this;
  }
  // A whole flush of half a second, as 6.x and 7.x write it; `l0`: files in level 0 afterwards.
  LogText& flush(double seconds, int job, int file, int bytes, int l0,
                 const std::string& family = "default") {
    const std::string id = std::to_string(job);
    line(seconds, "[db/db_impl/db_impl_write.cc:1] [" + family +
                      "] New memtable created with log file: #9. Immutable memtables: 0.");
    line(seconds,
         "[db/flush_job.cc:1] [" + family + "] [JOB " + id +
             "] Flushing memtable with next log file: 9",
         "f1");
    event(seconds,
          R"("job": )" + id +
              R"(, "event": "flush_started", "num_memtables": 1, "num_entries": 1000, )"
              R"("total_data_size": 120000, "flush_reason": "Write Buffer Full")",
          "f1");
    event(seconds + 0.4,
          R"("cf_name": ")" + family + R"(", "job": )" + id +
              R"(, "event": "table_file_creation", "file_number": )" + std::to_string(file) +
              R"(, "file_size": )" + std::to_string(bytes) +
              R"(, "table_properties": {"data_size": 1})",
          "f1");
    return late(seconds + 0.5, seconds + 0.51,
                json(seconds + 0.5,
                     R"("job": )" + id + R"(, "event": "flush_finished", "lsm_state": [)" +
                         std::to_string(l0) + R"(, 0, 0, 0, 0, 0, 0], "immutable_memtables": 0)"));
  }

  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] static std::string json(double seconds, const std::string& fields) {
    return R"(EVENT_LOG_v1 {"time_micros": )" + std::to_string(at(seconds)) + ", " + fields + "}";
  }
  [[nodiscard]] static std::int64_t at(double seconds) {
    return kStart + static_cast<std::int64_t>(seconds * 1e6 + 0.5);
  }

 private:
  // Within the day: two hours ahead of UTC.
  [[nodiscard]] static std::string local(double seconds) {
    const std::int64_t micros = static_cast<std::int64_t>(seconds * 1e6 + 0.5);
    const std::int64_t of_day = micros / 1'000'000 + 12 * 3600;
    char text[64];
    std::snprintf(text, sizeof text, "2024/03/01-%02d:%02d:%02d.%06d", int(of_day / 3600),
                  int(of_day / 60 % 60), int(of_day % 60), int(micros % 1'000'000));
    return text;
  }

  std::string thread_, text_;
};

}  // namespace rocktune::trace::rocksdb_log::test
