// Which tables a database had when it was opened, and which go without a compaction.
#include "replayed.h"
#include "tests/support/catch.h"
#include "trace/rocksdb_log/timeline.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;
using rocktune::trace::rocksdb_log::test::begun;
using rocktune::trace::rocksdb_log::test::LogText;
using rocktune::trace::rocksdb_log::test::Replayed;

TEST_CASE("A table that is deleted without a compaction, as by FIFO, takes its bytes along") {
  LogText log = begun();
  log.family_options(0.1, "hot");
  log.flush(10, 2, 7, 1000, 1);
  log.flush(12, 3, 8, 2000, 2);
  log.flush(13, 4, 9, 9000, 1, "hot");
  log.line(14, "[db/db_impl/db_impl_compaction_flush.cc:3300] [default] Deleted 1 files");
  log.event(14, R"("job": 5, "event": "table_file_deletion", "file_number": 7)");
  log.event(14, R"("job": 5, "event": "table_file_deletion", "file_number": 4711)");
  log.flush(16, 6, 10, 4000, 2);
  Replayed replayed(log.text());
  CHECK(replayed.family(13).levels[0] == LevelReading{2, 3000});
  CHECK(replayed.family(17).levels[0] == LevelReading{2, 6000});
  CHECK(replayed.family(17, 1).levels[0] == LevelReading{1, 9000});
}

TEST_CASE("With several db_paths the first one names the database, and each may have tables") {
  for (const int tables : {0, 50}) {
    INFO(tables << " tables");
    LogText log;
    log.line(0, "RocksDB version: 8.1.1");
    log.line(0, "DB Session ID:  WQXU");
    log.line(0, "SST files in /fast/db dir, Total Num: " + std::to_string(tables) + ", files: ");
    log.line(0, "SST files in /slow/db dir, Total Num: 0, files: ");
    log.family_options(0, "default");
    Replayed replayed(log.text());
    CHECK(replayed.family(1).levels.empty() == (tables > 0));  // new ones are known to be empty
    CHECK(replayed.timeline().session().path == "/fast/db");
  }
}
