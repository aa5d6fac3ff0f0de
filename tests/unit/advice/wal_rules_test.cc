// The rules on the write-ahead log: each fires, and only on its trouble.
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {

TEST_CASE("the WAL", "[advice]") {
  Recording r;
  SECTION("a sync for each write") {
    r.write_us = 900;
    r.device_writes = 500;
    const Report report = r.report();
    CHECK(only_advice(report, "wal_sync").effect.low ==
          Approx(*only_advice(report, "wal_sync").effect.now / 10));
    // 1 MB/s of flushes and compactions explain 15 of 500 device writes a second.
    CHECK(only_advice(report, "wal_sync").evidence.back().value == Approx(0.97).epsilon(0.01));
    r.stall_us = 100'000;
    CHECK_FALSE(not_judged_of(r.report(), "wal_sync").empty());
    r.write_us = 5;
    CHECK(content_of(r.report(), "wal_sync") == "writes do not wait for the device one by one");
  }
  SECTION("large values take as long without a sync") {
    r.write_us = 900;
    r.device_writes = 2500;
    r.bytes_per_write = 4096;
    CHECK(advises(r.report(), "wal_sync"));
    r.bytes_per_write = 64 << 10;
    r.device_writes = 5000;
    CHECK(not_judged_of(r.report(), "wal_sync").find("the mean write brings 64 KiB") == 0);
    r.bytes_per_write = 4096;
    r.sample.database->write_latency.reset();
    CHECK(not_judged_of(r.report(), "wal_sync").find("write latencies") == 0);
  }
  SECTION("device writes of flushes and compactions are no syncs") {
    r.write_us = 900;
    r.device_writes = 500;
    r.compacted_per_flushed = 200;  // 50 MB/s
    CHECK(content_of(r.report(), "wal_sync") == "writes do not wait for the device one by one");
    r.sample.database->compaction_bytes_written.reset();
    CHECK_FALSE(not_judged_of(r.report(), "wal_sync").empty());
  }
  SECTION("a write call for each small write") {
    r.writes = 200'000;
    r.bytes_per_write = 100;
    r.flushes = 0.2;
    CHECK(not_judged_of(r.report(), "manual_wal_flush").find("--options") != std::string::npos);
    r.opening.options.database["manual_wal_flush"] = "false";
    CHECK(only_advice(r.report(), "manual_wal_flush").steps.front().option == "manual_wal_flush");
    SECTION("not where one call brings many writes") {
      r.writes_per_call = 10;
      CHECK(content_of(r.report(), "manual_wal_flush").find("not what limits") !=
            std::string::npos);
    }
    SECTION("nor where writers mostly do something else") {
      r.write_us = 2;  // 0.4 of a core
      CHECK(content_of(r.report(), "manual_wal_flush").find("not what limits") !=
            std::string::npos);
      r.writes = 260'000;
      CHECK(advises(r.report(), "manual_wal_flush"));
    }
    r.opening.options.database["manual_wal_flush"] = "true";
    CHECK(content_of(r.report(), "manual_wal_flush") == "the program flushes the WAL");
  }
  SECTION("much of what is written") {
    r.opening.rocksdb_version = "9.0.0";
    r.flushed_per_written = 0.5;
    r.compacted_per_flushed = 1;
    r.device_busy_ms = 950;
    CHECK(not_judged_of(r.report(), "wal_compression").find("--options") != std::string::npos);
    auto& options = r.opening.options.database;
    options["wal_compression"] = "kNoCompression";
    // Before 9.3 such a WAL may not be read again where it is recycled.
    CHECK(not_judged_of(r.report(), "wal_compression").find("--options") != std::string::npos);
    options["recycle_log_file_num"] = "2";
    CHECK(content_of(r.report(), "wal_compression").find("may not open again") !=
          std::string::npos);
    r.opening.rocksdb_version = "9.3.1";
    CHECK(only_advice(r.report(), "wal_compression").risk.find("recycle_log_file_num") !=
          std::string::npos);
    options.erase("recycle_log_file_num");
    CHECK(advises(r.report(), "wal_compression"));
    r.opening.rocksdb_version = "9.0.0";
    options["recycle_log_file_num"] = "0";
    const Report report = r.report();
    CHECK(only_advice(report, "wal_compression").effect.low == Approx(0.75));
    r.device_busy_ms = 100;
    CHECK_FALSE(advises(r.report(), "wal_compression"));
  }
  SECTION("not where nothing is written") {
    r.writes = 0;
    const Report report = r.report();
    for (const char* rule : {"manual_wal_flush", "wal_compression"}) {
      CHECK(content_of(report, rule) == "nothing is written");
    }
  }
  SECTION("not where it is off") {
    r.wal_per_written = 0;
    const Report report = r.report();
    for (const char* rule : {"wal_sync", "manual_wal_flush", "wal_compression"}) {
      CHECK(content_of(report, rule) == "the WAL is off");
    }
  }
}

}  // namespace rocktune::advice
