// From the wire's names to the model's fields.
#include "daemon/agents/translate.h"

#include "model/knobs.h"
#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::daemon;

TEST_CASE("the wire's names become the model's fields", "[daemon][translate]") {
  wire::Sample sample;
  sample.sequence = 9;
  sample.tick_ns = 1234;
  sample.tickers = {{"bytes.written", 1}, {"compact.write.bytes", 2}, {"unknown.ticker", 3}};
  sample.properties = {{"num-running-flushes", 4}, {"is-write-stopped", 0}};
  sample.cache = {{"capacity_bytes", 5}};
  sample.limiter = {{"bytes_through", 6}};
  sample.histograms["get"] = {{{10, 11, 12}}, 130};
  wire::ColumnFamily family;
  family.name = "default";
  family.properties = {{"num-immutable-mem-table", 7}};
  family.options = {{"level0_slowdown_writes_trigger", 20},
                    {"level0_stop_writes_trigger", -1},
                    {"leveled_compaction", 1},
                    {"level_compaction_dynamic_level_bytes", 0},
                    {"max_bytes_for_level_multiplier", 8}};
  family.levels = {{8, 9}};
  family.l0_compactions = wire::L0Compactions{4, 1000, 600, 2500};
  family.jobs = wire::Jobs{11, 12, 13, 14, 15, 16, 17, 2, 19, 20};
  sample.column_families.push_back(family);
  wire::Knob knob;
  knob.name = "max_background_jobs";
  knob.value = 4;
  knob.found = 2;
  knob.owner = "rocktune";
  knob.changeable = true;
  knob.max = 64;
  sample.knobs.push_back(knob);
  sample.knobs.push_back(knob);
  sample.knobs.back().owner = "somebody new";

  const DatabaseReading reading = to_database_reading(sample);
  CHECK(reading.agent_sequence == 9);
  CHECK(reading.agent_tick == Nanoseconds(1234));
  CHECK(reading.user_bytes_written == 1U);
  CHECK(reading.compaction_bytes_written == 2U);
  CHECK_FALSE(reading.keys_read.has_value());  // absent is not zero
  sample.tickers["number.multiget.keys.read"] = 30;
  CHECK(to_database_reading(sample).keys_read == 30U);
  sample.tickers["number.keys.read"] = 4;
  CHECK(to_database_reading(sample).keys_read == 34U);
  CHECK_FALSE(reading.wal_syncs);
  sample.tickers["wal.synced"] = 6;
  CHECK(to_database_reading(sample).wal_syncs == 6U);
  CHECK_FALSE(reading.iterator_steps);
  sample.tickers["number.db.next"] = 500;
  CHECK(to_database_reading(sample).iterator_steps == 500U);
  sample.tickers["number.db.prev"] = 20;
  CHECK(to_database_reading(sample).iterator_steps == 520U);
  sample.tickers["bytes.read"] = 100;
  sample.tickers["number.multiget.bytes.read"] = 900;
  CHECK(to_database_reading(sample).user_bytes_read == 1000U);
  CHECK(reading.running_flushes == 4U);
  CHECK(reading.write_stopped == 0U);
  CHECK_FALSE(reading.delayed_write_rate.has_value());
  CHECK(reading.cache_capacity_bytes == 5U);
  CHECK(reading.limiter_bytes_through == 6U);
  REQUIRE(reading.read_latency);
  CHECK(reading.read_latency->buckets == std::vector<LatencyHistogram::Bucket>{{10, 11, 12}});
  CHECK(reading.read_latency->sum_us == 130);
  CHECK_FALSE(reading.write_latency.has_value());
  REQUIRE(reading.column_families.size() == 1);
  CHECK(reading.column_families[0].immutable_memtables == 7U);
  CHECK(reading.column_families[0].level0_slowdown_trigger == 20U);
  CHECK_FALSE(reading.column_families[0].level0_stop_trigger.has_value());
  CHECK(reading.column_families[0].levels == std::vector<LevelReading>{{8, 9}});
  CHECK(reading.column_families[0].l0_compaction_input_files == 4U);
  CHECK(reading.column_families[0].l0_compaction_input_bytes == 1000U);
  CHECK(reading.column_families[0].l0_compaction_output_bytes == 600U);
  CHECK(reading.column_families[0].l0_compaction_age_ms == 2500U);
  CHECK(reading.column_families[0].flushes == 11U);
  CHECK(reading.column_families[0].last_flush_age_ms == 12U);
  CHECK(reading.column_families[0].l0_compactions == 13U);
  CHECK(reading.column_families[0].l0_compactions_ms == 14U);
  CHECK(reading.column_families[0].l0_compactions_input_bytes == 15U);
  CHECK(reading.column_families[0].l0_compactions_other_bytes == 20U);
  CHECK(reading.column_families[0].deep_compactions == 16U);
  CHECK(reading.column_families[0].deep_compactions_ms == 17U);
  CHECK(reading.column_families[0].deep_compaction_level == 2U);
  CHECK(reading.column_families[0].deep_compaction_age_ms == 19U);
  CHECK(reading.column_families[0].leveled_compaction == 1U);
  CHECK(reading.column_families[0].dynamic_level_bytes == 0U);
  CHECK(reading.column_families[0].max_bytes_for_level_multiplier == 8U);

  const auto knobs = to_knob_readings(sample);
  REQUIRE(knobs.size() == 2);
  CHECK(knobs[0].owner == KnobOwner::kRocktune);
  CHECK(knobs[0].found == 2);
  CHECK(knobs[1].owner == KnobOwner::kManual);  // unknown owners: hands off
}

TEST_CASE("writes that the write buffer manager stalls are stopped", "[daemon][translate]") {
  wire::Sample sample;
  sample.properties = {{"is-write-stopped", 0}};
  CHECK_FALSE(to_database_reading(sample).write_buffer_stall);
  CHECK_FALSE(to_database_reading(sample).write_buffer_limit_bytes);
  sample.write_buffer_manager = {{"limit_bytes", 64 << 20}, {"stall_active", 0}};
  CHECK(to_database_reading(sample).write_stopped == 0U);
  CHECK(to_database_reading(sample).write_buffer_limit_bytes == 64U << 20);
  sample.write_buffer_manager["stall_active"] = 1;
  DatabaseReading reading = to_database_reading(sample);
  CHECK(reading.write_stopped == 1U);
  CHECK(reading.write_buffer_stall == 1U);
  leave_out_stalls(reading);
  CHECK_FALSE(reading.write_stopped);
  CHECK_FALSE(reading.write_buffer_stall);
}

TEST_CASE("a sample that no real database has is not taken", "[daemon][translate]") {
  wire::Sample sample;
  sample.column_families.resize(kMostColumnFamilies);
  sample.column_families[7].levels.resize(kMostLevels);
  sample.knobs.resize(kMostColumnFamilies * knob_catalogue().size());
  sample.histograms["get"].buckets.resize(kMostBuckets);
  REQUIRE(check_extent(sample));
  std::string what;
  SECTION("column families") {
    sample.column_families.emplace_back();
    what = "2049 column families: rocktuned takes at most 2048";
  }
  SECTION("levels") {
    sample.column_families[7].levels.emplace_back();
    what = "65 levels";
  }
  SECTION("knobs") {
    sample.column_families.resize(8);
    what = " knobs";
  }
  SECTION("names and reasons") {
    sample.column_families[9].name = std::string(kMostTextBytes - 10, 'x');
    sample.knobs[3].reason = "of eleven b";
    what = "524289 bytes of names and reasons";
  }
  SECTION("buckets") {
    sample.histograms["get"].buckets.emplace_back();
    what = "4097 buckets";
  }
  const auto refused = check_extent(sample);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kProtocol);
  CHECK_THAT(refused.error().message, Catch::Matchers::Contains(what));
}

TEST_CASE("every field of the model has a source on the wire", "[daemon][translate]") {
  wire::Sample sample;
  for (const char* name :
       {"bytes.written", "bytes.read", "wal.bytes", "wal.synced", "flush.write.bytes",
        "compact.read.bytes", "compact.write.bytes", "number.keys.read", "number.keys.written",
        "number.db.seek", "number.db.next", "block.cache.hit", "block.cache.miss",
        "bloom.filter.useful", "stall.micros"}) {
    sample.tickers[name] = 1;
  }
  for (const char* name : {"num-running-flushes", "num-running-compactions",
                           "actual-delayed-write-rate", "is-write-stopped"}) {
    sample.properties[name] = 1;
  }
  sample.cache = {{"capacity_bytes", 1}, {"usage_bytes", 1}, {"pinned_usage_bytes", 1}};
  sample.limiter = {{"bytes_through", 1}, {"requests", 1}, {"limits_reads", 1}};
  sample.write_buffer_manager = {{"limit_bytes", 1}, {"stall_active", 1}};
  const DatabaseReading reading = to_database_reading(sample);
  DatabaseReading::visit_fields(reading, [](const char* name, const Counter& value) {
    INFO(name);
    CHECK(value == 1U);
  });
}
