// Stalls in a LOG: when they begin, and when they are over.
#include "replayed.h"
#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;
using rocktune::trace::rocksdb_log::test::begun;
using rocktune::trace::rocksdb_log::test::LogText;
using rocktune::trace::rocksdb_log::test::Replayed;
using rocktune::trace::rocksdb_log::test::stall;

TEST_CASE("A delay by L0 ends with the install that brings L0 below its trigger") {
  LogText log = begun();
  log.flush(10, 2, 7, 1000, 20);
  log.line(10.50002, stall(20));
  log.flush(12, 3, 8, 1000, 21);
  log.line(12.50002, stall(21));
  log.late(15, 15.01,
           LogText::json(15, R"("job": 6, "cf_name": "default", "event": "compaction_finished", )"
                             R"("output_level": 1, "lsm_state": [7, 2, 0, 0, 0, 0, 0])"));
  log.flush(30, 9, 9, 1000, 8);
  Replayed replayed(log.text());
  CHECK(replayed.at(10.4).delayed_write_rate == 0);
  CHECK(replayed.at(10.6).delayed_write_rate == 8'388'608);
  CHECK(replayed.at(14.9).delayed_write_rate == 8'388'608);
  CHECK(replayed.at(15.2).delayed_write_rate == 0);
  const auto all = replayed.timeline().take_events();
  std::vector<PastEvent> stalls;
  std::copy_if(all.begin(), all.end(), std::back_inserter(stalls),
               [](const PastEvent& event) { return event.second.kind == event::kStall; });
  REQUIRE(stalls.size() == 2);
  CHECK(stalls[0].first == Micros(LogText::at(10.50002)));
  CHECK(stalls[0].second.words.at("condition") == "delayed");
  CHECK(stalls[0].second.words.at("cause") == "l0_files");
  CHECK(stalls[1].first == Micros(LogText::at(15)));
  CHECK(stalls[1].second.words.at("condition") == "normal");
  CHECK(stalls[1].second.numbers.at("before_us") == 4'499'980);
}

TEST_CASE("A stall by debt lasts while RocksDB repeats it") {
  const auto told = [](int bytes) {
    return "[WARN] [db/column_family.cc:1129] [default] Stalling writes because of estimated "
           "pending "
           "compaction bytes " +
           std::to_string(bytes) + " rate 1000";
  };
  LogText log = begun();
  log.line(9.99, told(777));
  log.flush(10, 2, 7, 1000, 1);
  log.line(10.0001, told(777));
  log.line(10.50002, told(888));
  log.flush(14, 3, 8, 1000, 2);  // installs something at 14.0, and RocksDB is silent
  Replayed replayed(log.text());
  CHECK(replayed.at(10.7).delayed_write_rate == 1000);
  CHECK(replayed.family(10.7).pending_compaction_bytes == 888);
  CHECK(replayed.at(13.9).delayed_write_rate == 1000);
  CHECK(replayed.at(14.2).delayed_write_rate == 0);
}

TEST_CASE("A stop by memtables ends with the flush") {
  LogText log = begun();
  log.line(9,
           "[db/db_impl/db_impl_write.cc:1] [default] New memtable created with log file: #9. "
           "Immutable memtables: 1.");
  log.line(9.00001,
           "[WARN] [db/column_family.cc:1] [default] Stopping writes because we have 2 "
           "immutable memtables (waiting for flush), max_write_buffer_number is set to 2");
  log.event(10, R"("job": 4, "cf_name": "default", "event": "flush_finished", )"
                R"("lsm_state": [1, 0, 0, 0, 0, 0, 0], "immutable_memtables": 1)");
  Replayed replayed(log.text());
  CHECK(replayed.at(9.5).write_stopped == 1);
  CHECK(replayed.at(9.5).delayed_write_rate == 0);
  CHECK(replayed.family(9.5).immutable_memtables == 2);
  CHECK(replayed.at(10.2).write_stopped == 0);
}

TEST_CASE("Memtables of an atomic flush are gone with it") {
  LogText log;
  log.database_header(0, "7.8.3", "WQXU", 0);
  log.line(0, "            Options.atomic_flush: 1");
  log.family_options(0, "default");
  log.line(9,
           "[db/db_impl/db_impl_write.cc:1] [default] New memtable created with log file: #9. "
           "Immutable memtables: 1.");
  log.line(9.00001,
           "[WARN] [db/column_family.cc:1] [default] Stopping writes because we have 2 "
           "immutable memtables (waiting for flush), max_write_buffer_number is set to 2");
  log.event(9.1, R"("job": 4, "cf_name": "default", "event": "flush_started", )"
                 R"("num_memtables": 2)");
  // Told before the install: both are counted.
  log.event(10, R"("job": 4, "cf_name": "default", "event": "flush_finished", )"
                R"("lsm_state": [0, 0, 0, 0, 0, 0, 0], "immutable_memtables": 2)");
  Replayed replayed(log.text());
  CHECK(replayed.at(9.5).write_stopped == 1);
  CHECK(replayed.family(9.5).immutable_memtables == 2);
  CHECK(replayed.at(10.2).write_stopped == 0);
  CHECK(replayed.family(10.2).immutable_memtables == 0);
}
