#include "scenario/configuration.h"

#include "tests/support/catch.h"

using rocktune::scenario::CompactionStyle;
using rocktune::scenario::HostConfiguration;
using rocktune::scenario::load_configuration;
using rocktune::scenario::Memtable;
using rocktune::scenario::parse_configurations;

TEST_CASE("the configurations of source 000", "[scenario][configuration]") {
  const auto baseline = load_configuration("Baseline");
  REQUIRE(baseline);
  CHECK(baseline->block_cache_bytes == 256 << 20);
  CHECK(baseline->bloom_bits_per_key == 0);

  const auto small = load_configuration("ReadOpt-512MB");
  const auto large = load_configuration("ReadOpt-1GB");
  const auto pressed = load_configuration("Mild-Pressure");
  REQUIRE((small && large && pressed));
  CHECK(small->block_cache_bytes == 512 << 20);
  CHECK(large->block_cache_bytes == 1 << 30);
  CHECK(small->bloom_bits_per_key == 10);
  CHECK(small->partitioned_filters);
  CHECK(pressed->block_cache_bytes == small->block_cache_bytes);
  CHECK(pressed->bloom_bits_per_key == small->bloom_bits_per_key);
  CHECK(pressed->write_buffer_bytes < small->write_buffer_bytes);
  CHECK(pressed->target_file_bytes < small->target_file_bytes);
  CHECK(pressed->max_background_jobs == 2);
  CHECK(pressed->rate_limit_bytes_per_second == 200'000'000);
  CHECK(small->rate_limit_bytes_per_second == 0);
}

TEST_CASE("scaling divides sizes and rates, not counts", "[scenario][configuration]") {
  const auto original = load_configuration("Mild-Pressure");
  REQUIRE(original);
  const HostConfiguration scaled = original->scaled(16);
  CHECK(scaled.block_cache_bytes == 32 << 20);
  CHECK(scaled.write_buffer_bytes == 2 << 20);
  CHECK(scaled.max_bytes_for_level_base == 16 << 20);
  CHECK(scaled.soft_pending_limit_bytes == std::int64_t{4} << 30);
  CHECK(scaled.rate_limit_bytes_per_second == 12'500'000);
  CHECK(scaled.bloom_bits_per_key == original->bloom_bits_per_key);
  CHECK(scaled.level0_stop_trigger == original->level0_stop_trigger);
  CHECK(scaled.max_background_jobs == original->max_background_jobs);
  // Never a size that RocksDB cannot work with, and never a limiter where there was none.
  CHECK(original->scaled(1e6).write_buffer_bytes == 64 << 10);
  CHECK(HostConfiguration{}.scaled(16).rate_limit_bytes_per_second == 0);
}

TEST_CASE("one option from the command line", "[scenario][configuration]") {
  HostConfiguration configuration;
  REQUIRE(configuration.set("rate_limit=12.5MB"));
  CHECK(configuration.rate_limit_bytes_per_second == 12'500'000);
  REQUIRE(configuration.set("max_background_jobs=4"));
  CHECK(configuration.max_background_jobs == 4);

  const auto wrong = configuration.set("max_background_jobs=one");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == "--config: max_background_jobs: 'one' is not a whole number");
  CHECK(configuration.max_background_jobs == 4);
  const auto shape = configuration.set("max_background_jobs");
  REQUIRE_FALSE(shape);
  CHECK(shape.error().message.find("KEY=VALUE") != std::string::npos);
  const auto relation = configuration.set("level0_stop_writes_trigger=5");
  REQUIRE_FALSE(relation);
  CHECK(relation.error().message.find("slowdown trigger <= stop trigger") != std::string::npos);
}

TEST_CASE("mistakes in a configuration file", "[scenario][configuration]") {
  const auto result = parse_configurations(R"(Mine:
  block_cache: lots
  partitioned_filters: true
  jobs: 4
)",
                                           "c.yaml");
  REQUIRE_FALSE(result);
  const std::string& message = result.error().message;
  CHECK(message.find("c.yaml:2:16: Mine.block_cache: 'lots' is not a size") != std::string::npos);
  CHECK(message.find("c.yaml:3:24: Mine.partitioned_filters: needs bloom_bits_per_key above 0") !=
        std::string::npos);
  CHECK(message.find("c.yaml:4:3: Mine.jobs: is not known here") != std::string::npos);
}

TEST_CASE("column families have what is their own, and the rest in common",
          "[scenario][configuration]") {
  const auto all = parse_configurations(R"(Mixed:
  base: Mild-Pressure
  max_write_buffer_number: 3
  families:
    cold:
      compaction_style: universal
      write_buffer_size: 16MiB
      rocksdb_options: {disable_auto_compactions: "true"}
Child:
  base: Mixed
  block_cache: 64MiB
)",
                                        "c.yaml");
  REQUIRE(all);
  const HostConfiguration& mixed = all->at("Mixed");
  CHECK(mixed.rate_limit_bytes_per_second == 200'000'000);  // its base's
  CHECK(mixed.family("hot").compaction_style == CompactionStyle::kLevel);
  CHECK(mixed.family("cold").max_write_buffer_number == 3);
  CHECK(mixed.scaled(16).family("cold").write_buffer_bytes == 1 << 20);
  CHECK(all->at("Child").family("cold").write_buffer_bytes == 16 << 20);
  CHECK(all->at("Child").block_cache_bytes == 64 << 20);
}

TEST_CASE("a vector memtable and the tuner of RocksDB's own limiter", "[scenario][configuration]") {
  HostConfiguration configuration;
  const auto early = configuration.set("auto_tuned_rate_limit=true");
  REQUIRE_FALSE(early);
  CHECK(early.error().message.find("needs a rate_limit") != std::string::npos);
  REQUIRE(configuration.set("rate_limit=100MB"));
  REQUIRE(configuration.set("auto_tuned_rate_limit=true"));
  REQUIRE(configuration.set("memtable=vector"));
  CHECK(configuration.memtable == Memtable::kVector);
}

TEST_CASE("mistakes of bases and families", "[scenario][configuration]") {
  const auto result = parse_configurations(R"(Mine:
  base: nobody
  families:
    hot: {compaction_style: tiered, block_cache: 1MiB}
)",
                                           "c.yaml");
  REQUIRE_FALSE(result);
  const std::string& message = result.error().message;
  CHECK(message.find("c.yaml:2:9: Mine.base: configuration 'nobody' is no built-in") !=
        std::string::npos);
  CHECK(message.find("c.yaml:4:29: Mine.families.hot.compaction_style: 'tiered' is not known") !=
        std::string::npos);
  CHECK(message.find("c.yaml:4:37: Mine.families.hot.block_cache: is not known here") !=
        std::string::npos);
}
