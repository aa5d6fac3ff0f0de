#include "model/features.h"

#include <cmath>

#include "model/cpu_use.h"
#include "model/family_options.h"
#include "model/write_stall.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("the first sample gives gauges and no rates", "[features]") {
  Sample sample = quiet_sample();
  sample.database->column_families[0].levels[0].files = 7;
  Features features = derive(nullptr, sample);
  CHECK(features.fresh);
  CHECK_FALSE(features.reset);
  CHECK(features.interval_seconds == 0);
  CHECK(features.l0_files == 7.0);
  CHECK(features.l0_ratio == 0.35);
  CHECK(features.cpus == 4.0);
  CHECK_FALSE(features.writes_per_second);
  CHECK_FALSE(features.device_queue);
}

TEST_CASE("universal compaction counts a level that is not empty as a run", "[features]") {
  Sample sample = quiet_sample();
  ColumnFamilyReading& family = sample.database->column_families[0];
  family.levels.assign(4, LevelReading{});
  family.levels[0].files = 15;
  family.levels[2].files = 40;
  family.levels[3].files = 1;
  family.leveled_compaction = 1;
  CHECK(derive(nullptr, sample).l0_files == 15.0);
  family.leveled_compaction = 0;
  CHECK(derive(nullptr, sample).l0_files == 17.0);
  CHECK(derive(nullptr, sample).l0_ratio == Approx(0.85));
}

TEST_CASE("rates come from the agent's own clock for the database", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.database->agent_tick = older.database->agent_tick + at_seconds(0.25);
  newer.database->keys_written = 1000;
  newer.database->user_bytes_written = 10 * kMiB;
  newer.database->flush_bytes_written = 10 * kMiB;
  newer.database->compaction_bytes_written = 20 * kMiB;
  newer.database->block_cache_hits = 90;
  newer.database->block_cache_misses = 10;
  newer.database->stall_us = 100000;
  newer.device->read_ios = 100;
  newer.device->read_ms = 250;
  newer.device->queue_ms = 1000;
  Features features = derive(&older, newer);
  CHECK(features.interval_seconds == Approx(0.25));
  CHECK(*features.writes_per_second == Approx(4000));
  CHECK(*features.user_write_bytes_per_second == Approx(40.0 * kMiB));
  CHECK(*features.write_amplification == Approx(3));
  CHECK(*features.cache_hit_ratio == Approx(0.9));
  CHECK(*features.stalled_ratio == Approx(0.4));
  CHECK(*features.device_read_iops == Approx(200));  // over the poll's half second
  CHECK(*features.device_read_await_ms == Approx(2.5));
  CHECK(*features.device_queue == Approx(2));
}

TEST_CASE("a counter that runs backwards gives no rate, and takes no other with it", "[features]") {
  Sample older = quiet_sample();
  older.database->keys_written = 5000;
  Sample newer = next_sample(older);
  newer.database->keys_written = 10;
  newer.database->keys_read = 100;
  Features features = derive(&older, newer);
  CHECK_FALSE(features.writes_per_second);
  CHECK(*features.reads_per_second == Approx(200));
}

TEST_CASE("Get and MultiGet are reads", "[features]") {
  Sample older = quiet_sample();
  older.database->multiget_latency = LatencyHistogram{{{10, 11, 100}}, 1000};
  Sample newer = next_sample(older);
  newer.database->multiget_latency = LatencyHistogram{{{10, 11, 100}, {5000, 5001, 50}}, 251000};
  CHECK(*derive(&older, newer).read_p99_us >= 5000);
  older.database->read_latency = LatencyHistogram{{{10, 11, 100}}, 1000};
  // A health check's Gets do not hide what the others wait for.
  newer.database->read_latency = LatencyHistogram{{{10, 11, 200}}, 2000};
  CHECK(*derive(&older, newer).read_p99_us >= 5000);
  newer.database->read_latency = LatencyHistogram{{{10, 11, 20000}}, 200000};
  CHECK(*derive(&older, newer).read_p99_us <= 11);
}

TEST_CASE("steps of iterators are counted beside their seeks", "[features]") {
  const Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.database->seeks = 5;
  newer.database->iterator_steps = 5000;
  CHECK(*derive(&older, newer).seeks_per_second == Approx(10));
  CHECK(*derive(&older, newer).iterator_steps_per_second == Approx(10'000));
  newer.database->iterator_steps.reset();
  CHECK_FALSE(derive(&older, newer).iterator_steps_per_second);
}

TEST_CASE("an absent counter is not zero", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.database->block_cache_misses.reset();
  newer.database->column_families[0].levels.clear();
  Features features = derive(&older, newer);
  CHECK_FALSE(features.cache_hit_ratio);
  CHECK_FALSE(features.l0_files);
  CHECK(features.pending_bytes == 0.0);
}

TEST_CASE("another incarnation begins anew", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.incarnation = "agent-1/db-2";
  newer.database->keys_written = 1000;
  Features features = derive(&older, newer);
  CHECK(features.reset);
  CHECK(features.fresh);
  CHECK_FALSE(features.writes_per_second);
  CHECK_FALSE(features.device_queue);
  CHECK(features.l0_files == 0.0);
}

TEST_CASE("a sample that reached nobody is no reopening", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.database.reset();
  newer.incarnation.clear();
  newer.device->write_ios = 50;
  Features features = derive(&older, newer);
  CHECK_FALSE(features.fresh);
  CHECK_FALSE(features.reset);
  CHECK(*features.device_write_iops == Approx(100));
}

TEST_CASE("a gap gives means over the real interval and is counted", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older, 10);
  newer.sequence = older.sequence + 20;
  newer.database->keys_written = 1000;
  Features features = derive(&older, newer);
  CHECK(*features.writes_per_second == Approx(100));
  CHECK(features.missed_polls == 19);
}

TEST_CASE("without time there is no rate", "[features]") {
  Sample older = quiet_sample();
  Sample newer = older;
  newer.database->keys_written = 1000;
  newer.device->read_ios = 10;
  CHECK_FALSE(derive(&older, newer).writes_per_second);
  CHECK_FALSE(derive(&older, newer).device_read_iops);
  newer.database->agent_tick -= at_seconds(1);
  newer.at.tick -= at_seconds(1);
  CHECK_FALSE(derive(&older, newer).writes_per_second);
}

TEST_CASE("the column family that is worst off counts", "[features]") {
  Sample sample = quiet_sample();
  ColumnFamilyReading other = sample.database->column_families[0];
  other.name = "index";
  other.levels[0].files = 6;
  other.level0_slowdown_trigger = 8;
  other.pending_compaction_bytes = 5 * kMiB;
  other.soft_pending_limit_bytes = 10 * kMiB;
  sample.database->column_families[0].levels[0].files = 10;  // of 20
  sample.database->column_families[0].pending_compaction_bytes = 100 * kMiB;
  sample.database->column_families[0].immutable_memtables = 1;
  sample.database->column_families.push_back(other);
  Features features = derive(nullptr, sample);
  CHECK(features.l0_column_family == "index");
  CHECK(features.l0_files == 6.0);
  CHECK(features.l0_ratio == 0.75);
  CHECK(features.pending_column_family == "index");
  CHECK(features.pending_ratio == 0.5);
  CHECK(features.memtable_column_family == "default");
  CHECK(features.memtable_ratio == 0.5);
}

TEST_CASE("of column families beyond those whose options are read, the default one's hold",
          "[features]") {
  Sample sample = quiet_sample();
  ColumnFamilyReading unread;
  unread.name = "65th";
  unread.levels = {{19, 19 * kMiB}};
  sample.database->column_families.push_back(unread);
  Features features = derive(nullptr, sample);
  CHECK(features.l0_column_family == "65th");
  CHECK(features.l0_ratio == 0.95);
  CHECK(features.l0_slowdown_files == 20.0);
  sample.database->column_families[1].max_write_buffer_number = 2;  // of one that may not compact
  CHECK(derive(nullptr, sample).l0_column_family == "default");
}

TEST_CASE("where no pending bytes delay writes those count that stop them", "[features]") {
  Sample sample = quiet_sample();
  ColumnFamilyReading& family = sample.database->column_families[0];
  family.soft_pending_limit_bytes = 0;
  family.hard_pending_limit_bytes = 12 * kMiB;
  family.pending_compaction_bytes = 9 * kMiB;
  Features features = derive(nullptr, sample);
  CHECK(features.pending_bytes == 9.0 * kMiB);
  CHECK(features.pending_ratio == 0.75);
  CHECK(first_pending_limit(features) == 12.0 * kMiB);
  family.hard_pending_limit_bytes = 0;
  features = derive(nullptr, sample);
  CHECK(features.pending_bytes == 9.0 * kMiB);
  CHECK(features.pending_ratio == 0);  // of no limit
  CHECK_FALSE(first_pending_limit(features));
  family.soft_pending_limit_bytes.reset();
  CHECK_FALSE(derive(nullptr, sample).pending_ratio);  // not read
}

TEST_CASE("what no compaction may take does not wait for one", "[features]") {
  Sample sample = quiet_sample();
  sample.database->column_families[0].pending_compaction_bytes = 3 * kMiB;
  ColumnFamilyReading still = sample.database->column_families[0];
  still.name = "archive";
  still.pending_compaction_bytes = 300 * kMiB;
  drop_compaction_limits(still);
  sample.database->column_families.push_back(still);
  Features features = derive(nullptr, sample);
  CHECK(features.total_pending_bytes == 3.0 * kMiB);
  sample.database->column_families.erase(sample.database->column_families.begin());
  features = derive(nullptr, sample);
  CHECK(features.total_pending_bytes == 0);
  CHECK(features.pending_bytes == 300.0 * kMiB);
}

TEST_CASE("an unlimited limiter has no rate and no use", "[features]") {
  Sample older = quiet_sample();
  older.knobs = {limiter_knob(kUnlimitedBytesPerSecond)};
  Sample newer = next_sample(older);
  newer.database->limiter_bytes_through = 5 * kMiB;
  Features features = derive(&older, newer);
  CHECK_FALSE(features.limiter_rate);
  CHECK_FALSE(features.limiter_use_ratio);
  CHECK(*features.limiter_bytes_per_second == Approx(10.0 * kMiB));
}

TEST_CASE("what a higher limit let through says nothing of the use of a lower one", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.database->limiter_bytes_through = 5 * kMiB;
  newer.knobs = {limiter_knob(20 * kMiB)};
  const std::int64_t before =
      GENERATE(as<std::int64_t>{}, 5 * kMiB, 20 * kMiB, 40 * kMiB, kUnlimitedBytesPerSecond);
  older.knobs = {limiter_knob(before)};
  const Features features = derive(&older, newer);
  CHECK(features.limiter_rate);
  REQUIRE(features.limiter_use_ratio.has_value() == (before <= 20 * std::int64_t{kMiB}));
  if (features.limiter_use_ratio) CHECK(*features.limiter_use_ratio == Approx(0.5));
}

TEST_CASE("another device's counters are not subtracted", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.device->name = "sda";
  newer.device->read_ios = 1000;
  CHECK_FALSE(derive(&older, newer).device_read_iops);
}

TEST_CASE("pressure and CPU are shares", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);
  newer.host->cpu_busy_us = 1500000;
  newer.host->cpu_idle_us = 500000;
  newer.host->process_cpu_us = 1000000;
  newer.host->io_pressure_some_us = 100000;
  newer.host->memory_pressure_some_us = 9000000;  // more than the time that passed
  Features features = derive(&older, newer);
  CHECK(*features.cpu_busy_ratio == Approx(0.75));
  CHECK(*features.process_cpu_cores == Approx(2));
  CHECK(*features.io_pressure_ratio == Approx(0.2));
  CHECK(*features.memory_pressure_ratio == 1);
}

TEST_CASE("a quota's fraction of a CPU is all that the process has of it", "[features]") {
  Sample older = quiet_sample();
  older.host->cpus = 2;
  Sample newer = next_sample(older);
  newer.host->cpu_busy_us = 100000;
  newer.host->cpu_idle_us = 1900000;
  newer.host->process_cpu_us = 600000;  // in half a second
  const Features whole = derive(&older, newer);
  CHECK_FALSE(whole.cpu_quota);
  CHECK(*own_cpus(whole) == 2);
  CHECK(*cpu_use(whole) == Approx(0.6));
  CHECK(*own_idle_cpus(whole) == Approx(0.8));
  newer.host->cpu_quota_millis = 1500;
  const Features some = derive(&older, newer);
  CHECK(*own_cpus(some) == 1.5);
  CHECK(*cpu_use(some) == Approx(0.8));
  CHECK(*own_idle_cpus(some) == Approx(0.3));
  newer.host->cpu_quota_millis = 64000;  // of a larger machine
  CHECK(*own_cpus(derive(&older, newer)) == 2);
}

TEST_CASE("what a control group may do is used by what it is nearest to", "[features]") {
  Sample older = quiet_sample();
  Sample newer = next_sample(older);  // half a second later
  older.host->io_read_bytes = 0;
  newer.host->io_read_bytes = 40 * kMiB;
  older.host->io_writes = 0;
  newer.host->io_writes = 100;
  CHECK_FALSE(derive(&older, newer).io_limit_use_ratio);
  newer.host->io_read_bytes_limit = 100 * kMiB;
  CHECK(*derive(&older, newer).io_limit_use_ratio == Approx(0.8));
  newer.host->io_writes_limit = 1000;
  CHECK(*derive(&older, newer).io_limit_use_ratio == Approx(0.8));
  newer.host->io_writes_limit = 100;
  CHECK(*derive(&older, newer).io_limit_use_ratio == Approx(2));
  older.host->io_writes = 500;  // another group's
  CHECK(*derive(&older, newer).io_limit_use_ratio == Approx(0.8));
  newer.host->io_read_bytes_limit = 0;
  CHECK_FALSE(derive(&older, newer).io_limit_use_ratio);
}

TEST_CASE("an NVMe drive's throttling is of the time between two readings of its health",
          "[features]") {
  Sample sample = test::quiet_sample();
  CHECK_FALSE(derive(nullptr, sample).nvme_throttled_ratio);
  NvmeReading& nvme = sample.nvme.emplace();
  CHECK_FALSE(derive(nullptr, sample).nvme_temperature_celsius);
  CHECK_FALSE(derive(nullptr, sample).device_write_amplification);
  nvme.throttle_seconds = 120;
  nvme.throttle_seconds_before = 90;
  CHECK_FALSE(derive(nullptr, sample).nvme_throttled_ratio);
  nvme.period_ms = 60'000;
  CHECK(derive(nullptr, sample).nvme_throttled_ratio == 0.5);
  nvme.throttle_seconds = 500;
  CHECK(derive(nullptr, sample).nvme_throttled_ratio == 1.0);
  nvme.throttle_seconds = 80;  // another drive, or a counter that began anew
  CHECK_FALSE(derive(nullptr, sample).nvme_throttled_ratio);
  nvme.data_units_written = 0;
  nvme.media_bytes_written = 1;
  CHECK_FALSE(derive(nullptr, sample).device_write_amplification);
  nvme.data_units_written = 2;
  nvme.media_bytes_written = 3'072'000;
  CHECK(derive(nullptr, sample).device_write_amplification == 3.0);
}
