// Traces of the schemas before this one are read as they were. What is at hand is of schema 2 (a
// run of tests/data); schema 3 added the columns of shared budgets, and what is older lacked more.
#include <zlib.h>

#include <fstream>

#include "support.h"
#include "trace/reader.h"
#include "trace/sqlite.h"

using namespace rocktune;
using namespace rocktune::trace;
using namespace rocktune::trace::test;

namespace {

constexpr const char* kDropViews =
    "DROP VIEW event_log; DROP VIEW column_family_samples; DROP VIEW overview; "
    "DROP VIEW decision_story; DROP VIEW knob_history; ";

std::string unpacked(const TempDirectory& directory) {
  const std::string path = directory.file("old.sqlite");
  gzFile in = gzopen(ROCKTUNE_SOURCE_DIR "/tests/data/stall-24-1.trace.gz", "rb");
  REQUIRE(in != nullptr);
  std::ofstream out(path, std::ios::binary);
  std::string part(1 << 16, '\0');
  for (int size = 1; size > 0;) {
    size = gzread(in, part.data(), static_cast<unsigned>(part.size()));
    REQUIRE(size >= 0);
    out.write(part.data(), size);
  }
  gzclose(in);
  return path;
}

std::vector<RecordedStep> old_steps(const std::string& path) {
  auto reader = checked(Reader::open(path));
  auto steps = checked(reader.steps(1));
  std::vector<RecordedStep> all;
  while (auto step = checked(steps.next())) all.push_back(std::move(*step));
  REQUIRE(all.size() == 480);
  return all;
}

// What SQL says of each sample.
void same_as_sql(const std::vector<RecordedStep>& steps, const std::string& path,
                 const std::string& sql, Counter (*value)(const Sample&)) {
  const auto connection = checked(Connection::open(path, SQLITE_OPEN_READONLY));
  auto row = checked(Statement::prepare(connection, sql));
  for (const RecordedStep& step : steps) {
    REQUIRE(checked(row.step()));
    CHECK(row.take_optional_unsigned() == value(step.sample));
  }
}

}  // namespace

TEST_CASE("a trace of schema 2, which had no slices, is read as before", "[trace]") {
  const TempDirectory directory;
  const std::string path = unpacked(directory);
  const auto steps = old_steps(path);
  const auto targets = checked(checked(Reader::open(path)).targets());
  CHECK(targets.at(0).incarnations.at(0).options.empty());
  same_as_sql(steps, path, "SELECT keys_read FROM samples ORDER BY sequence",
              [](const Sample& s) { return s.database->keys_read; });
  const std::string family =
      " FROM column_families c JOIN column_family_levels l ON l.sample = c.levels_at AND "
      "l.position = c.position ORDER BY c.sample";
  same_as_sql(steps, path, "SELECT active_memtable_bytes" + family, [](const Sample& s) {
    return s.database->column_families.at(0).active_memtable_bytes;
  });
  same_as_sql(steps, path, "SELECT l0_compaction_age_ms" + family, [](const Sample& s) {
    return s.database->column_families.at(0).l0_compaction_age_ms;
  });
  same_as_sql(steps, path, "SELECT flushes" + family,
              [](const Sample& s) { return s.database->column_families.at(0).flushes; });
  same_as_sql(steps, path, "SELECT l0_files" + family, [](const Sample& s) {
    return Counter(s.database->column_families.at(0).levels.at(0).files);
  });
  same_as_sql(
      steps, path,
      "SELECT o.level0_stop_trigger FROM column_families c JOIN column_family_options o ON "
      "o.sample = c.options_at ORDER BY c.sample",
      [](const Sample& s) { return s.database->column_families.at(0).level0_stop_trigger; });
  for (const RecordedStep& step : steps) CHECK_FALSE(step.sample.shared);
  const auto& first = *steps[0].sample.database->read_latency;
  const auto& last = *steps.back().sample.database->read_latency;
  CHECK(last.sum_us > first.sum_us);
  CHECK(last.buckets.size() > first.buckets.size());
}

TEST_CASE("of a file without checksums that is said", "[trace]") {
  const TempDirectory directory;
  const RunInfo old = checked(Reader::open(unpacked(directory))).run();
  CHECK(old.schema == 2);
  CHECK_FALSE(has_checksums(old));
  CHECK(checksums_note(old) == "schema 2 has no checksums: damage may go unnoticed");
  RunInfo before = old;
  before.schema = kChecksSince - 1;
  CHECK_FALSE(checksums_note(before).empty());
  CHECK(checksums_note(RunInfo{}).empty());
}

TEST_CASE(
    "a trace of schema 3, which had slices and the drive's health in each sample, is read "
    "as before",
    "[trace]") {
  const TempDirectory directory;
  const std::string path = unpacked(directory);
  std::string sql = kDropViews;
  for (const char* reading : {"nvme", "shared"}) {
    sql += std::string("ALTER TABLE samples ADD COLUMN has_") + reading + " INTEGER;";
  }
  const NvmeReading drive;
  NvmeReading::visit_fields(drive, [&](const char* name, const Counter&) {
    sql += std::string("ALTER TABLE samples ADD COLUMN nvme_") + name + " INTEGER;";
  });
  const SharedBudget slices;
  SharedBudget::visit_fields(slices, [&](const char* name, const Counter&) {
    sql += std::string("ALTER TABLE samples ADD COLUMN shared_") + name + " INTEGER;";
  });
  sql +=
      "UPDATE samples SET has_nvme = 1, nvme_temperature_kelvin = 300 + sequence % 5;"
      "UPDATE samples SET has_shared = 1, shared_jobs_max = sequence WHERE sequence > 100;"
      "PRAGMA user_version = 3";
  run_sql(path, sql.c_str());
  const auto steps = old_steps(path);
  same_as_sql(steps, path, "SELECT nvme_temperature_kelvin FROM samples ORDER BY sequence",
              [](const Sample& s) { return s.nvme->temperature_kelvin; });
  same_as_sql(steps, path, "SELECT shared_jobs_max FROM samples ORDER BY sequence",
              [](const Sample& s) { return s.shared ? s.shared->jobs_max : Counter(); });
  CHECK_FALSE(steps[10].sample.shared);
  CHECK(steps[200].sample.shared);
}

TEST_CASE("a trace of schema 1, which had no events, is read as before", "[trace]") {
  const TempDirectory directory;
  const std::string path = unpacked(directory);
  run_sql(path, "DROP VIEW event_log; DROP TABLE database_events; PRAGMA user_version = 1");
  for (const RecordedStep& step : old_steps(path)) CHECK(step.events.empty());
  CHECK(checked(checked(Reader::open(path)).targets())[0].events.empty());
}

TEST_CASE("columns that a release added within a schema may be missing", "[trace]") {
  const TempDirectory directory;
  const std::string path = unpacked(directory);
  std::string sql = kDropViews;
  for (const char* column :
       {"l0_compaction_input_files", "l0_compaction_input_bytes", "l0_compaction_output_bytes",
        "l0_compaction_age_ms", "deep_compaction_level", "deep_compaction_age_ms", "flushes",
        "last_flush_age_ms", "l0_compactions", "l0_compactions_ms", "l0_compactions_input_bytes",
        "deep_compactions", "deep_compactions_ms"}) {
    sql.append(" ALTER TABLE column_families DROP COLUMN ").append(column).append(";");
  }
  sql += "ALTER TABLE column_family_options DROP COLUMN leveled_compaction";
  run_sql(path, sql.c_str());
  const Sample sample = old_steps(path)[0].sample;
  CHECK_FALSE(sample.nvme);
  const ColumnFamilyReading& family = sample.database->column_families.at(0);
  CHECK_FALSE(family.l0_compaction_age_ms);
  CHECK_FALSE(family.l0_compaction_input_files);
  CHECK_FALSE(family.last_flush_age_ms);
  CHECK_FALSE(family.flushes);
  CHECK_FALSE(family.leveled_compaction);
  CHECK(family.immutable_memtables);
  CHECK(family.level0_slowdown_trigger > 0U);
}

TEST_CASE("a trace without a column that every release had is damaged", "[trace]") {
  const TempDirectory directory;
  const std::string path = unpacked(directory);
  run_sql(path, (std::string(kDropViews) +
                 "ALTER TABLE column_family_options DROP COLUMN level0_stop_trigger")
                    .c_str());
  auto reader = checked(Reader::open(path));
  const auto steps = reader.steps(1);
  REQUIRE_FALSE(steps);
  CHECK(steps.error().code == ErrorCode::kCorrupt);
  CHECK(steps.error().message.find("column_family_options has no column level0_stop_trigger") !=
        std::string::npos);
}
