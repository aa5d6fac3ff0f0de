// Options in a LOG: of the header, and changed while the database runs.
#include "replayed.h"
#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;
using rocktune::trace::rocksdb_log::test::begun;
using rocktune::trace::rocksdb_log::test::LogText;
using rocktune::trace::rocksdb_log::test::Replayed;

TEST_CASE("Options that are changed while the database runs count from then on") {
  LogText log = begun();
  log.line(5, "[db/db_impl/db_impl.cc:1] SetOptions() on column family [default], inputs:");
  log.line(5, "level0_slowdown_writes_trigger: 30");
  log.line(5, "[db/db_impl/db_impl.cc:1] [default] SetOptions() succeeded");
  log.line(5, "                        level0_slowdown_writes_trigger: 30");
  log.line(6, "[db/db_impl/db_impl.cc:1] SetDBOptions() succeeded");
  log.line(6, "            Options.max_background_jobs: 8");
  Replayed replayed(log.text());
  CHECK(replayed.family(4).level0_slowdown_trigger == 20);
  CHECK(replayed.family(5.5).level0_slowdown_trigger == 30);
  (void)replayed.at(7);
  CHECK(replayed.timeline().session().max_background_jobs == 8);
}

TEST_CASE("Limits that RocksDB does not heed without compactions are not told") {
  LogText log = begun();
  log.line(5, "[db/db_impl/db_impl.cc:1] [default] SetOptions() succeeded");
  log.line(5, "[options/cf_options.cc:1]       disable_auto_compactions: 1");
  log.line(8, "[db/db_impl/db_impl.cc:1] [default] SetOptions() succeeded");
  log.line(8, "[options/cf_options.cc:1]       disable_auto_compactions: 0");
  Replayed replayed(log.text());
  CHECK(replayed.family(4).level0_stop_trigger == 36);
  const auto bulk = replayed.family(6);
  CHECK_FALSE(bulk.level0_slowdown_trigger);
  CHECK_FALSE(bulk.level0_stop_trigger);
  CHECK_FALSE(bulk.soft_pending_limit_bytes);
  CHECK_FALSE(bulk.hard_pending_limit_bytes);
  CHECK(bulk.level0_compaction_trigger == 4);
  CHECK(replayed.family(9).level0_slowdown_trigger == 20);
}

TEST_CASE("New options end with the next line of the thread that tells them") {
  LogText log = begun();
  log.line(5, "[db/db_impl/db_impl.cc:1] [default] SetOptions() succeeded");
  log.line(5, "[options/cf_options.cc:1]              write_buffer_size: 200000");
  log.line(5, "[db/flush_job.cc:1] [default] [JOB 3] Flushing memtable", "f1");
  log.line(5, "[options/cf_options.cc:1] level0_slowdown_writes_trigger: 30");
  log.line(6, "[db/db_impl/db_impl.cc:496] Shutdown: canceling all background work");
  Replayed replayed(log.text());
  CHECK(replayed.family(5.5).write_buffer_bytes == 200'000);
  CHECK(replayed.family(5.5).level0_slowdown_trigger == 30);
  (void)replayed.at(7);
  CHECK_FALSE(replayed.timeline().session().open);
}

// As 11.8 writes it, from 10.11 on.
TEST_CASE("Options of several column families that are changed at once count for each") {
  const std::string source = "[db/db_impl/db_impl.cc:1745] ";
  LogText log = begun();
  log.family_options(0, "hot");
  log.line(5, source + "SetOptions() on [2] column families, inputs:");
  log.line(5, source + "Set options on column family [default] (0/2), inputs:");
  log.line(5, source + "level0_slowdown_writes_trigger: 30");
  log.line(5, source + "Set options on column family [hot] (1/2), inputs:");
  log.line(5, source + "write_buffer_size: 200000");
  log.line(5,
           source + "Set options on column family [default] (0/2) succeeded, updated CF options:");
  log.line(5, "[options/cf_options.cc:1]                        write_buffer_size: 67108864");
  log.line(5, "[options/cf_options.cc:1]           level0_slowdown_writes_trigger: 30");
  log.line(5, source + "Set options on column family [hot] (1/2) succeeded, updated CF options:");
  log.line(5, "[options/cf_options.cc:1]                        write_buffer_size: 200000");
  log.line(5, "[options/cf_options.cc:1]           level0_slowdown_writes_trigger: 20");
  Replayed replayed(log.text());
  CHECK(replayed.family(4, 0).level0_slowdown_trigger == 20);
  CHECK(replayed.family(4, 1).write_buffer_bytes == 67'108'864);
  CHECK(replayed.family(6, 0).level0_slowdown_trigger == 30);
  CHECK(replayed.family(6, 0).write_buffer_bytes == 67'108'864);
  CHECK(replayed.family(6, 1).level0_slowdown_trigger == 20);
  CHECK(replayed.family(6, 1).write_buffer_bytes == 200'000);
}

TEST_CASE("Options that are refused change nothing") {
  LogText log = begun();
  log.line(5, "[db/db_impl/db_impl.cc:1734] Set options on column family [default] (0/1), inputs:");
  log.line(5, "[db/db_impl/db_impl.cc:1737] write_buffer_size: 200000");
  log.line(5, "[WARN] [db/db_impl/db_impl.cc:1756] SetOptions() failed: Invalid argument");
  Replayed replayed(log.text());
  CHECK(replayed.family(6).write_buffer_bytes == 67'108'864);
}

TEST_CASE("What is repeated on top of a rolled file takes no change back") {
  LogText log;
  log.header(0, "7.8.3", "WQXU");
  log.family_options(1, "hot");
  log.line(1, "[db/db_impl/db_impl.cc:1] Created column family [hot] (ID 3)");
  log.line(2, "[db/db_impl/db_impl.cc:1] [default] SetOptions() succeeded");
  log.line(2, "[options/cf_options.cc:1]              write_buffer_size: 200000");
  log.line(3, "[db/db_impl/db_impl.cc:1] SetDBOptions() succeeded");
  log.line(3, "            Options.max_background_jobs: 8");
  log.line(4, "[db/db_impl/db_impl.cc:1] Dropped column family with id 3");
  log.rolled(20, "7.8.3", "WQXU").family_dump(20);
  log.line(20, "            Options.max_background_jobs: 8");  // as it was told, last
  Replayed replayed(log.text());
  CHECK(replayed.at(19).column_families.size() == 1);
  CHECK(replayed.at(21).column_families.size() == 1);
  CHECK(replayed.family(21).write_buffer_bytes == 200'000);
  CHECK(replayed.timeline().session().max_background_jobs == 8);
}
