// From lines to the state of a database: parser and timeline together.
#include "trace/rocksdb_log/timeline.h"

#include <random>

#include "replayed.h"
#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;
using rocktune::trace::rocksdb_log::test::begun;
using rocktune::trace::rocksdb_log::test::LogText;
using rocktune::trace::rocksdb_log::test::Replayed;
using rocktune::trace::rocksdb_log::test::stall;

TEST_CASE("The header tells the options, and that a new database is empty") {
  Replayed log(begun().text());
  const auto family = log.family(1);
  CHECK(family.name == "default");
  CHECK(family.write_buffer_bytes == 67'108'864);
  CHECK(family.max_write_buffer_number == 2);
  CHECK(family.level0_compaction_trigger == 4);
  CHECK(family.level0_slowdown_trigger == 20);
  CHECK(family.level0_stop_trigger == 36);
  CHECK(family.soft_pending_limit_bytes == 68'719'476'736);
  CHECK(family.hard_pending_limit_bytes == 137'438'953'472);
  CHECK(family.target_file_bytes == 67'108'864);
  CHECK(family.max_bytes_for_level_base_bytes == 268'435'456);
  REQUIRE(family.levels.size() == 7);
  CHECK(family.levels[0] == LevelReading{0, 0});
  CHECK(family.immutable_memtables == 0);
  CHECK(family.pending_compaction_bytes == 0);
  CHECK(family.l0_compaction_input_files == 0);
  CHECK_FALSE(family.active_memtable_bytes);
  const auto reading = log.at(1);
  CHECK(reading.cache_capacity_bytes == 8'388'608);
  CHECK(reading.delayed_write_rate == 0);
  CHECK(reading.write_stopped == 0);
  CHECK_FALSE(reading.keys_written);
  CHECK_FALSE(reading.user_bytes_written);
  CHECK(log.timeline().session().version == "6.11.0");
  CHECK(log.timeline().session().max_background_jobs == 2);
  CHECK(log.timeline().session().has_statistics == true);
  CHECK(log.timeline().session().has_limiter == false);
}

TEST_CASE("A database that had files is not known before the LOG tells of it") {
  LogText log;
  log.header(0, "7.8.3", "WQXU", 9);
  log.line(1, "[db/db_impl/db_impl.cc:1105] ------- DUMPING STATS -------");
  log.line(1, "[db/db_impl/db_impl.cc:1107] ");
  log.raw("** Compaction Stats [default] **\nLevel    Files   Size     Score Read(GB)\n")
      .raw(
          "  L0      4/0    400.00 MB   1.0      0.0\n  L1      5/0    200.00 MB   0.8      0.0\n"
          " Sum      9/0    600.00 MB   0.0      0.0\n");
  log.line(1.1, "[db/db_impl/db_impl.cc:543] next");
  Replayed replayed(log.text());
  CHECK(replayed.family(0.5).levels.empty());
  CHECK_FALSE(replayed.family(0.5).pending_compaction_bytes);
  CHECK_FALSE(replayed.family(0.5).immutable_memtables);
  const auto family = replayed.family(2);
  REQUIRE(family.levels.size() == 7);
  CHECK(family.levels[0] == LevelReading{4, 400u << 20});
  CHECK(family.levels[1] == LevelReading{5, 200u << 20});
  // All of L0, all of L1, and what L1 is then above its 256 MiB, into an empty level.
  CHECK(family.pending_compaction_bytes == 600u << 20);
}

TEST_CASE("A flush fills L0 and is counted when its table is written") {
  LogText log = begun();
  log.flush(10, 2, 7, 1000, 1);
  Replayed replayed(log.text());
  CHECK(replayed.family(9.9).immutable_memtables == 0);
  CHECK(replayed.family(10.2).immutable_memtables == 1);
  CHECK(replayed.at(10.2).running_flushes == 1);
  CHECK(replayed.at(10.2).flush_bytes_written == 0);
  CHECK(replayed.at(10.45).flush_bytes_written == 1000);
  CHECK(replayed.family(10.45).levels[0].files == 0);
  CHECK(replayed.at(10.6).running_flushes == 0);
  CHECK(replayed.family(10.6).levels[0] == LevelReading{1, 1000});
  CHECK(replayed.family(10.6).immutable_memtables == 0);
  const auto events = replayed.timeline().take_events();
  REQUIRE(events.size() == 2);
  CHECK(events[0].second.kind == "flush_begin");
  CHECK(events[0].second.words.at("reason") == "WriteBufferFull");
  CHECK(events[1].second.kind == "flush_end");
  CHECK(events[1].second.numbers.at("output_bytes") == 1000);
  CHECK(events[1].second.numbers.at("input_bytes") == 120'000);
  CHECK(events[1].second.numbers.at("elapsed_us") == 500'000);
}

namespace {

// Four flushes, then a compaction of L0 into L1 from second 20 to 24.
LogText compacted() {
  LogText log = begun();
  for (int i = 0; i < 4; ++i) log.flush(10 + i, 2 + i, 7 + i, 1000, i + 1);
  log.line(20, "[db/compaction/compaction_job.cc:1] [default] [JOB 6] Compacting 4@0 files to L1",
           "c1");
  log.event(20,
            R"("job": 6, "event": "compaction_started", "compaction_reason": "LevelL0FilesNum", )"
            R"("files_L0": [10, 9, 8, 7], "score": 1, "input_data_size": 4000)",
            "c1");
  for (int i = 0; i < 2; ++i) {
    log.event(22 + i,
              R"("cf_name": "default", "job": 6, "event": "table_file_creation", )"
              R"("file_number": )" +
                  std::to_string(20 + i) + R"(, "file_size": 1500)",
              "c2");
  }
  log.flush(23.2, 7, 30, 1000, 5);
  log.late(24, 24.01,
           "[db/compaction/compaction_job.cc:1] [default] compacted to: files[1 2 0 0 0 0 0] max "
           "score 0.75");
  log.late(
      24.00001, 24.01,
      LogText::json(24.00001,
                    R"("job": 6, "event": "compaction_finished", "compaction_time_micros": 4, )"
                    R"("output_level": 1, "num_output_files": 2, "total_output_size": 3000, )"
                    R"("lsm_state": [1, 2, 0, 0, 0, 0, 0])"));
  return log;
}

}  // namespace

TEST_CASE("A running L0 compaction tells what it holds, how far it is and since when") {
  Replayed log(compacted().text());
  CHECK(log.family(19).l0_compaction_input_files == 0);
  CHECK(log.family(19).l0_compaction_age_ms == 0);
  auto family = log.family(21.5);
  CHECK(family.l0_compaction_input_files == 4);
  CHECK(family.l0_compaction_input_bytes == 4000);
  CHECK(family.l0_compaction_output_bytes == 0);
  CHECK(family.l0_compaction_age_ms == 1500);
  CHECK(log.at(21.5).running_compactions == 1);
  family = log.family(23.9);
  CHECK(family.l0_compaction_output_bytes == 3000);
  CHECK(family.levels[0].files == 5);
  CHECK(log.at(23.9).compaction_bytes_written == 3000);
  CHECK(log.at(23.9).compaction_bytes_read == 3000);  // about as much as is written
  family = log.family(25);
  CHECK(family.l0_compaction_input_files == 0);
  CHECK(family.l0_compaction_output_bytes == 0);
  CHECK(family.levels[0] == LevelReading{1, 1000});
  CHECK(family.levels[1] == LevelReading{2, 3000});
  CHECK(log.at(25).compaction_bytes_read == 4000);
  CHECK(log.at(25).running_compactions == 0);
}

TEST_CASE("What has ended is counted, with how long it took and how long ago") {
  Replayed log(compacted().text());
  auto family = log.family(21.5);
  CHECK(family.l0_compactions == 0);
  CHECK(family.l0_compactions_ms == 0);
  const auto flushes = family.flushes.value();
  family = log.family(25);
  CHECK(family.flushes == flushes + 1);
  REQUIRE(family.last_flush_age_ms);
  CHECK(*family.last_flush_age_ms > 1000);
  CHECK(*family.last_flush_age_ms < 2000);
  CHECK(family.l0_compactions == 1);
  CHECK(family.l0_compactions_ms == 4000);
  CHECK(family.l0_compactions_input_bytes == 4000);
  CHECK(family.deep_compactions == 0);
  CHECK(family.deep_compaction_level == 0);
}

TEST_CASE("A compaction between deeper levels is none of L0") {
  LogText log = begun();
  log.event(5, R"("job": 6, "event": "compaction_started", "cf_name": "default", )"
               R"("files_L1": [7], "files_L2": [8], "input_data_size": 4000)");
  Replayed replayed(log.text());
  CHECK(replayed.at(6).running_compactions == 1);
  CHECK(replayed.family(6).l0_compaction_input_files == 0);
  CHECK(replayed.family(6).l0_compaction_input_bytes == 0);
  CHECK(replayed.family(6).deep_compaction_level == 1);
  CHECK(replayed.family(6).deep_compaction_age_ms == 1000);
}

TEST_CASE("A job that ends without a word is over when its thread begins another") {
  LogText log = begun();
  for (int job = 3; job < 6; ++job) {
    log.event(job,
              R"("cf_name": "default", "job": )" + std::to_string(job) +
                  R"(, "event": "flush_started", "num_memtables": 1)",
              "f1");
  }
  Replayed replayed(log.text());
  CHECK(replayed.at(10).running_flushes == 1);
}

TEST_CASE("Column families are told apart") {
  LogText log = begun();
  log.family_options(0.1, "hot");
  log.flush(10, 2, 7, 1000, 1, "hot");
  log.line(11, stall(25, "hot"));
  Replayed replayed(log.text());
  CHECK(replayed.family(12, 0).levels[0].files == 0);
  CHECK(replayed.family(12, 1).name == "hot");
  CHECK(replayed.family(12, 1).levels[0].files == 1);
  CHECK(replayed.at(12).delayed_write_rate == 8'388'608);
}

TEST_CASE("A rolled LOG goes on, another open begins anew") {
  LogText log = begun();
  log.flush(10, 2, 7, 1000, 1);
  log.rolled(20, "6.11.0", "2e9619b3-dd13");  // on top of the next file
  Replayed rolled(log.text());
  CHECK(rolled.family(21).levels[0].files == 1);
  CHECK(rolled.timeline().session().number == 1);

  log.line(25, "[db/db_impl/db_impl.cc:496] Shutdown: canceling all background work");
  Replayed closed(log.text());
  (void)closed.at(26);
  CHECK_FALSE(closed.timeline().session().open);

  log.header(30, "7.8.3", "another", 3);
  Replayed again(log.text());
  CHECK(again.at(31).flush_bytes_written == 0);
  CHECK(again.timeline().session().number == 2);
  CHECK(again.timeline().session().open);
  CHECK(again.family(31).levels.empty());
}

TEST_CASE("Before RocksDB 6.12 the recovery tells of an open") {
  LogText log;
  log.header(0, "6.2.2", "");
  log.flush(10, 2, 7, 1000, 1);
  log.header(20, "6.2.2", "");
  Replayed replayed(log.text());
  CHECK(replayed.at(15).flush_bytes_written == 1000);
  CHECK(replayed.at(21).flush_bytes_written == 0);
  CHECK(replayed.timeline().session().number == 2);
  CHECK(replayed.timeline().session().max_background_jobs == 2);
  CHECK(replayed.timeline().session().max_subcompactions == 1);
}

TEST_CASE("Events of RocksDB 10 and 11 are understood") {
  LogText log("8265");
  log.header(0, "11.8.1", "I8KN");
  log.event(1, R"("job": 2, "event": "flush_started", "total_num_input_entries": 8059, )"
               R"("total_data_size": 1829393, "flush_reason": "Write Buffer Full")");
  log.late(2, 2.1,
           LogText::json(2, R"("job": 2, "event": "flush_finished", "cf_name": "default", )"
                            R"("lsm_state": [1, 0], "immutable_memtables": 0)"));
  log.late(2.0001, 2.1,
           "[db/db_impl/db_impl_compaction_flush.cc:432] [default] Level summary: files"
           "[1 0] max score 0.25, estimated pending compaction bytes 4711");
  log.late(3, 3.1,
           "[db/db_impl/db_impl_compaction_flush.cc:4764] [default] Moved #4 files to "
           "level-1 8046747 bytes OK: files[0 4] max score 0.54, estimated pending "
           "compaction bytes 12");
  Replayed replayed(log.text());
  CHECK(replayed.family(2.5).pending_compaction_bytes == 4711);
  CHECK(replayed.family(3.5).levels[1].files == 4);
  CHECK(replayed.family(3.5).pending_compaction_bytes == 12);
}

TEST_CASE("Column families that are created and dropped come and go") {
  LogText log;
  log.header(0, "7.8.3", "WQXU", 9);  // not empty
  log.family_options(5, "hot");
  log.line(5, "[db/db_impl/db_impl.cc:1] Created column family [hot] (ID 3)");
  log.flush(6, 2, 7, 1000, 1, "hot");
  log.line(7, stall(25, "hot"));
  log.line(8, "[db/db_impl/db_impl.cc:1] Dropped column family with id 3");
  Replayed replayed(log.text());
  CHECK(replayed.at(4).column_families.size() == 1);
  CHECK(replayed.family(5.5, 1).levels.at(0).files == 0);  // known to be empty
  CHECK(replayed.family(7.5, 1).levels.at(0).files == 1);
  CHECK(replayed.at(7.5).delayed_write_rate == 8'388'608);
  CHECK(replayed.at(9).column_families.size() == 1);
  CHECK(replayed.at(9).delayed_write_rate == 0);
}

TEST_CASE("A line between the begin of summer time and the next event is not an hour off") {
  LogText log = begun();
  log.flush(10, 2, 7, 1000, 1);
  log.line(3612, stall(25));  // the local clock: an hour more
  Replayed replayed(log.text());
  CHECK(replayed.at(11).delayed_write_rate == 0);
  CHECK(replayed.at(13).delayed_write_rate == 8'388'608);
}

TEST_CASE("Jobs of another open are told apart, however many the one before had") {
  LogText log = begun();
  for (int job = 2; job < 5000; ++job) {
    log.line(1, "[db/flush_job.cc:1] [default] [JOB " + std::to_string(job) + "] Flushing");
  }
  log.header(10, "6.11.0", "another", 1);
  log.flush(12, 2, 9, 1000, 2);
  Replayed replayed(log.text());
  const auto families = replayed.at(13).column_families;
  REQUIRE(families.size() == 1);
  CHECK(families[0].name == "default");
  CHECK(families[0].levels.at(0).files == 2);
  CHECK(replayed.timeline().unknown_family() == 0);
}

TEST_CASE("Jobs that go on after thousands of others keep their column family") {
  LogText log = begun();
  for (int job = 10'000; job > 5000; --job) {  // the lowest number is not the oldest
    log.line(1, "[db/flush_job.cc:1] [default] [JOB " + std::to_string(job) + "] Flushing");
  }
  log.flush(2, 2, 9, 1000, 1);
  Replayed replayed(log.text());
  CHECK(replayed.family(3).levels.at(0).files == 1);
  CHECK(replayed.timeline().unknown_family() == 0);
}

TEST_CASE("An event of no known column family is left out and counted") {
  LogText log = begun();
  log.event(2, R"("job": 7, "event": "flush_started", "num_memtables": 1)");
  log.event(3, R"("job": 8, "event": "flush_finished", "lsm_state": [3, 0])");
  Replayed replayed(log.text());
  const auto families = replayed.at(4).column_families;
  REQUIRE(families.size() == 1);
  CHECK(families[0].name == "default");
  CHECK(replayed.timeline().unknown_family() == 2);
  CHECK(replayed.timeline().take_events().empty());
}

TEST_CASE("Whatever the lines say, the timeline goes on") {
  std::mt19937 random(4711);
  const std::string whole = compacted().line(30, stall(25)).text();
  for (int round = 0; round < 300; ++round) {
    std::string text = whole;
    const auto below = [&](std::size_t n) {
      return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    for (std::size_t edits = 1 + below(30); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, below(200));
          break;
        case 2:
          text.insert(at, text.substr(below(text.size()), below(300)));
          break;
        default:
          text.insert(at, std::to_string(random()));
      }
      if (text.empty()) text = "\n";
    }
    Replayed replayed(text);
    for (double seconds = 1; seconds < 40; seconds += 7) (void)replayed.at(seconds);
    CHECK(replayed.counts().lines ==
          replayed.counts().used + replayed.counts().passed_over + replayed.counts().damaged);
  }
}
