#include "bench/host/options.h"

#include <rocksdb/memtablerep.h>
#include <rocksdb/rate_limiter.h>

#include "tests/support/catch.h"

namespace rocktune::bench {
namespace {

using scenario::HostConfiguration;

TEST_CASE("options reach RocksDB, its own spelling included", "[bench][configuration]") {
  auto configuration = scenario::load_configuration("Mild-Pressure");
  REQUIRE(configuration);
  REQUIRE(configuration->set("delayed_write_rate=1000000"));
  REQUIRE(configuration->set("max_bytes_for_level_multiplier=8"));
  const auto options = make_options(*configuration);
  REQUIRE(options);
  CHECK(options->write_buffer_size == static_cast<size_t>(configuration->write_buffer_bytes));
  CHECK(options->max_background_jobs == 2);
  CHECK(options->rate_limiter != nullptr);
  CHECK(options->delayed_write_rate == 1000000);
  CHECK(options->max_bytes_for_level_multiplier == 8);

  REQUIRE(configuration->set("no_such_option=1"));
  const auto unknown = make_options(*configuration);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("no_such_option") != std::string::npos);
}

TEST_CASE("column families reach RocksDB with what is their own", "[bench][configuration]") {
  const auto all = scenario::parse_configurations(R"(Mixed:
  base: Mild-Pressure
  max_write_buffer_number: 3
  families:
    cold:
      compaction_style: universal
      write_buffer_size: 16MiB
      rocksdb_options: {disable_auto_compactions: "true"}
)",
                                                  "c.yaml");
  REQUIRE(all);
  const HostConfiguration& mixed = all->at("Mixed");
  HostConfiguration changed = mixed;
  REQUIRE(changed.set("level0_file_num_compaction_trigger=7"));
  REQUIRE(changed.set("report_bg_io_stats=true"));
  const auto options = make_options(changed);
  REQUIRE(options);
  CHECK(options->compaction_style == rocksdb::kCompactionStyleLevel);
  const auto cold = make_family_options(changed, "cold", *options);
  REQUIRE(cold);
  CHECK(cold->compaction_style == rocksdb::kCompactionStyleUniversal);
  CHECK(cold->write_buffer_size == 16 << 20);
  CHECK(cold->disable_auto_compactions);
  CHECK(cold->level0_file_num_compaction_trigger == 7);
  CHECK(cold->report_bg_io_stats);
  const auto hot = make_family_options(changed, "hot", *options);
  REQUIRE(hot);
  CHECK_FALSE(hot->disable_auto_compactions);
}

TEST_CASE("a vector memtable and the tuner of RocksDB's own limiter reach RocksDB",
          "[bench][configuration]") {
  HostConfiguration configuration;
  REQUIRE(configuration.set("rate_limit=100MB"));
  REQUIRE(configuration.set("auto_tuned_rate_limit=true"));
  REQUIRE(configuration.set("memtable=vector"));
  const auto options = make_options(configuration);
  REQUIRE(options);
  // RocksDB begins an auto-tuned limiter at half of its bound.
  CHECK(options->rate_limiter->GetBytesPerSecond() == 50'000'000);
  CHECK_FALSE(options->allow_concurrent_memtable_write);
  CHECK(std::string(options->memtable_factory->Name()).find("Vector") != std::string::npos);
}

}  // namespace
}  // namespace rocktune::bench
