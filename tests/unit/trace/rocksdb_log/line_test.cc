// Lines of a LOG, one by one.
#include <zlib.h>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "trace/rocksdb_log/event_json.h"
#include "trace/rocksdb_log/line_reader.h"
#include "trace/rocksdb_log/log_files.h"
#include "trace/rocksdb_log/log_line.h"
#include "trace/rocksdb_log/stats_dump.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;

namespace {

std::string gzip(const std::string& path, const std::string& content) {
  gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(gzwrite(file, content.data(), static_cast<unsigned>(content.size())) ==
          static_cast<int>(content.size()));
  REQUIRE(gzclose(file) == Z_OK);
  return path;
}

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.emplace_back(line->text);
  return lines;
}

}  // namespace

TEST_CASE("A line of a LOG is taken apart") {
  const auto line = parse_log_line(
      "2024/02/29-23:59:59.000250 7f01 [WARN] [/column_family.cc:931] [my cf] Stalling writes");
  REQUIRE(line);
  CHECK(line->at == Micros(1'709'251'199'000'250));
  CHECK(line->written == line->at);
  CHECK(line->thread == "7f01");
  CHECK(line->family == "my cf");
  CHECK(line->text == "Stalling writes");

  const auto job = parse_log_line("2024/01/01-00:00:00.000000 8265 [a.cc:1] [cf] [JOB 7] Flushing");
  REQUIRE(job);
  CHECK(job->family == "cf");
  CHECK(job->text == "[JOB 7] Flushing");

  const auto late = parse_log_line(
      "2024/01/01-00:00:02.000000 1 (Original Log Time 2024/01/01-00:00:01.500000) EVENT_LOG_v1 "
      "{}");
  REQUIRE(late);
  CHECK(late->written - late->at == Micros(500'000));
  CHECK(late->text == "EVENT_LOG_v1 {}");

  const auto colon = parse_log_line("2024/01/01-00:00:00.000000 1 [a.cc:1] [cf]: Compaction start");
  REQUIRE(colon);
  CHECK(colon->family == "cf");
  CHECK(colon->text == "Compaction start");
}

TEST_CASE("What is no line of a LOG is refused") {
  for (const char* text : {"", "** DB Stats **", "2024/13/01-00:00:00.000000 1 x",
                           "2024/02/30-00:00:00.000000 1 x", "2024/01/01-24:00:00.000000 1 x",
                           "1970/01/01-00:00:00.000000 1 x", "9999/01/01-00:00:00.000000 1 x",
                           "2024/01/01-00:00:00.00000x 1 x", "2024/01/01-00:00:00.000000"}) {
    INFO(text);
    CHECK_FALSE(parse_log_line(text));
  }
}

TEST_CASE("An event's JSON is read as far as it goes") {
  const auto whole = parse_event_json(
      R"({"job": 7, "event": "x", "score": 1.9, "minus": -1, "lsm_state": [3, 0, 1], "o": {"job": 9}})");
  CHECK(whole.whole);
  CHECK(whole.number("job") == 7);
  CHECK(whole.number("score") == 1);
  CHECK_FALSE(whole.number("minus"));
  CHECK(whole.word("event") == "x");
  CHECK(whole.lists.at("lsm_state") == std::vector<std::uint64_t>{3, 0, 1});

  const auto cut =
      parse_event_json(R"({"job": 7, "event": "compaction_finished", "lsm_state": [3, 0)");
  CHECK_FALSE(cut.whole);
  CHECK(cut.number("job") == 7);
  CHECK(cut.word("event") == "compaction_finished");

  CHECK_FALSE(parse_event_json("\xff\xfe").whole);
  CHECK_FALSE(parse_event_json(std::string(100'000, '[')).whole);
}

TEST_CASE("Files are read line by line, plain or gzip") {
  const tests::TempDirectory directory;
  const std::string content = "one\r\n\ntwo\n" + std::string(200'000, 'x') + "\nlast";
  for (const std::string& path :
       {directory.write("LOG", content), gzip(directory.file("LOG.gz"), content)}) {
    auto reader = LineReader::open(path);
    REQUIRE(reader);
    const auto lines = lines_of(*reader);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "one");
    CHECK(lines[1].empty());
    CHECK(lines[3].size() == kMaxLineBytes);
    CHECK(lines[4] == "last");
    CHECK(reader->damage().empty());
  }
}

TEST_CASE("A gzip file that ends early gives what it has, and says so") {
  const tests::TempDirectory directory;
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += std::to_string(i * 7919) + "\n";
  const std::string path = gzip(directory.file("LOG.gz"), content);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  auto reader = LineReader::open(path);
  REQUIRE(reader);
  const auto lines = lines_of(*reader);
  CHECK(lines.size() > 100);
  CHECK(lines[1] == "7919");
  CHECK_FALSE(reader->damage().empty());
}

TEST_CASE("A database's LOG files are found, oldest first") {
  const tests::TempDirectory directory;
  for (const char* name : {"LOG", "LOG.old.200", "LOG.old.1000.gz", "LOG.old.200.gz", "LOGx",
                           "LOG.old.x", "000012.log", "OPTIONS-000005"}) {
    (void)directory.write(name, "");
  }
  const auto files = find_log_files(directory.path().string());
  REQUIRE(files);
  REQUIRE(files->size() == 3);
  CHECK((*files)[0].path == directory.file("LOG.old.200"));
  CHECK((*files)[1].path == directory.file("LOG.old.1000.gz"));
  CHECK((*files)[2].path == directory.file("LOG"));

  (void)directory.write("data_other_LOG", "");
  const auto several = find_log_files(directory.path().string());
  REQUIRE_FALSE(several);
  CHECK(several.error().code == ErrorCode::kInvalidArgument);
  CHECK(find_log_files(directory.file("data_other_LOG"))->size() == 1);
  CHECK(find_log_files(directory.file("nothing")).error().code == ErrorCode::kNotFound);
}

TEST_CASE("A stats dump tells of levels, debt and stalls") {
  StatsDumpReader reader;
  for (const char* line :
       {"** DB Stats **", "Uptime(secs): 600.5 total, 600.0 interval",
        "Cumulative writes: 12K writes, 34M keys, 5 commit groups, 1.0 writes per commit group, "
        "ingest: 4.25 GB, 0.00 MB/s",
        "Cumulative stall: 00:01:2.500 H:M:S, 0.1 percent", "", "** Compaction Stats [default] **",
        "Level    Files   Size     Score Read(GB)", "----------",
        "  L0      3/1      5.06 MB   0.8      0.0", "  L2     11/0    1.50 GB   1.2  0.0",
        " Sum     14/0     27.27 MB   0.0", "** Compaction Stats [default] **",
        "Priority    Files   Size     Score", " Low      9/0      0.00 KB   0.0",
        "Estimated pending compaction bytes: 12345",
        "Write Stall (count): cf-l0-file-count-limit-delays-with-ongoing-compaction: 2, "
        "total-delays: 3, ",
        "Stalls(count): 4 level0_slowdown, 0 memtable_slowdown, interval 4 total count"}) {
    reader.add(line);
  }
  const StatsDumped& dump = reader.dump();
  REQUIRE(dump.families.contains("default"));
  const FamilyStats& stats = dump.families.at("default");
  REQUIRE(stats.levels.size() == 3);
  CHECK(stats.levels[0].files == 3);
  CHECK(stats.levels[0].bytes == 5'305'794);
  CHECK(stats.levels[1].files == 0);
  CHECK(stats.levels[2].bytes == 1'610'612'736);
  CHECK(stats.levels[2].score == Approx(1.2));
  CHECK(stats.pending_bytes == 12345);
  CHECK(dump.numbers.at("cumulative_keys") == Approx(34e6));
  CHECK(dump.numbers.at("cumulative_ingest_gb") == Approx(4.25));
  CHECK(dump.numbers.at("cumulative_stall_seconds") == Approx(62.5));
  CHECK(dump.numbers.at("stalls total-delays") == Approx(3));
  CHECK(dump.numbers.at("stalls level0_slowdown") == Approx(4));
}

TEST_CASE("A table of levels that a dump's end cuts off tells nothing") {
  StatsDumpReader reader;
  for (const char* line :
       {"** Compaction Stats [default] **", "Level    Files   Size     Score Read(GB)",
        "  L0      1/0      1.00 KB   0.3      0.0", " Sum      1/0      1.00 KB   0.0",
        "** Compaction Stats [big] **", "Level    Files   Size     Score Read(GB)",
        "  L0      1/0      9.00 MB   0.3      0.0", "  L1      4/0    256.0"}) {
    reader.add(line);
  }
  CHECK(reader.dump().families.size() == 1);
  CHECK(reader.dump().families.contains("default"));
}

TEST_CASE("A stats dump of however many families takes bounded memory") {
  StatsDumpReader reader;
  for (int family = 0; family < 4000; ++family) {
    reader.add("** Compaction Stats [" + std::to_string(family) + "] **");
    reader.add("Level    Files   Size     Score");
    reader.add("  L63      3/0      5.06 MB   0.8");
    reader.add(" Sum       3/0      5.06 MB   0.0");
  }
  std::size_t levels = 0;
  for (const auto& [name, stats] : reader.dump().families) levels += stats.levels.size();
  CHECK(levels > 10'000);
  CHECK(levels < 40'000);
}
