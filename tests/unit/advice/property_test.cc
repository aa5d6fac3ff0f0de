// Whatever the samples are, a report has finite numbers, ordered ranges and no empty words.
#include <cmath>
#include <random>

#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {
namespace {

class Chaos {
 public:
  explicit Chaos(std::uint64_t seed) : random_(seed) {}

  Recording recording() {
    Recording r;
    r.seconds = 70;
    r.each = [this](Recording& now, int) { disturb(now); };
    const char* kinds[] = {"host", "none", "agent", ""};
    r.opening.limiter = kinds[below(4)];
    r.opening.statistics = kinds[below(4)];
    const char* versions[] = {"", "7.8.3", "11.8.1", "x.y", "8", "99999999999999.1"};
    r.opening.rocksdb_version = versions[below(6)];
    if (below(2) == 0) {
      const char* policies[] = {"nullptr", "bloomfilter:10:false", "bloomfilter:nan", ":",
                                "ribbon:-1"};
      const char* sizes[] = {"4096", "0", "inf", "x"};
      r.opening.options.column_families["default"] = {
          {"filter_policy", policies[below(5)]},
          {"cache_index_and_filter_blocks", below(2) == 0 ? "1" : "false"},
          {"partition_filters", "0"},
          {"block_size", sizes[below(4)]}};
      const char* numbers[] = {"-1", "0", "3", "1073741824", "9223372036854775807", "x"};
      r.opening.options.database = {{"use_direct_io_for_flush_and_compaction", "false"},
                                    {"db_write_buffer_size", numbers[below(6)]},
                                    {"max_background_compactions", numbers[below(6)]},
                                    {"max_background_flushes", "-1"}};
    }
    for (std::uint64_t i = below(3); i > 0; --i) {
      ColumnFamilyReading other = r.family();
      other.name = "other" + std::to_string(i);
      r.sample.database->column_families.push_back(other);
    }
    return r;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  std::uint64_t amount() {
    switch (below(6)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return ~std::uint64_t{0} >> below(3);
      default:
        return std::uint64_t{1} << below(50);
    }
  }

  // A field now and then becomes absent, or anything.
  void shake(Counter& field) {
    const std::uint64_t dice = below(200);
    if (dice == 0) field.reset();
    if (dice < 3) field = amount();
  }

  void disturb(Recording& now) {
    const auto visit = [this](const char*, Counter& field) { shake(field); };
    DatabaseReading& d = *now.sample.database;
    for (Counter* field :
         {&d.user_bytes_written, &d.wal_bytes, &d.flush_bytes_written, &d.compaction_bytes_written,
          &d.keys_read, &d.keys_written, &d.seeks, &d.block_cache_hits, &d.block_cache_misses,
          &d.bloom_useful, &d.stall_us, &d.running_flushes, &d.running_compactions,
          &d.delayed_write_rate, &d.write_stopped, &d.cache_capacity_bytes, &d.cache_usage_bytes,
          &d.limiter_bytes_through}) {
      shake(*field);
    }
    for (ColumnFamilyReading& f : d.column_families) {
      ColumnFamilyReading::visit_fields(f, visit);
      if (below(100) == 0) f.levels.clear();
      for (LevelReading& level : f.levels) {
        if (below(50) == 0) level = {amount(), amount()};
      }
    }
    if (now.sample.host) HostReading::visit_fields(*now.sample.host, visit);
    if (now.sample.device) DeviceReading::visit_fields(*now.sample.device, visit);
    for (KnobReading& knob : now.sample.knobs.edit()) {
      if (below(100) == 0) knob.value = static_cast<std::int64_t>(amount());
    }
    now.reads = below(2) == 0 ? below(100'000) : now.reads;
    now.writes = below(2) == 0 ? below(100'000) : now.writes;
    now.flushes = static_cast<double>(below(30)) / 10;
    now.read_us = 1 + below(100'000);
  }

  std::mt19937_64 random_;
};

void check_numbers(const Advice& one) {
  CHECK(std::isfinite(one.effect.low));
  CHECK(std::isfinite(one.effect.high));
  CHECK(one.effect.low <= one.effect.high);
  if (one.effect.now) CHECK(std::isfinite(*one.effect.now));
  for (const Fact& fact : one.evidence) {
    INFO(fact.name);
    CHECK(std::isfinite(fact.value));
    CHECK_FALSE(fact.text.empty());
  }
  for (const Step& step : one.steps) CHECK_FALSE(step.value.empty());
}

void check_words(const Advice& one) {
  for (const std::string* words : {&one.title, &one.effect.reason, &one.confidence_reason,
                                   &one.risk, &one.source, &one.effect.measure}) {
    CHECK_FALSE(words->empty());
    CHECK(words->find("nan") == std::string::npos);
  }
  CHECK_FALSE(one.evidence.empty());
  CHECK_FALSE(one.steps.empty());
}

}  // namespace

TEST_CASE("any samples give a sound report", "[advice][property]") {
  std::size_t advice = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    Chaos chaos(seed);
    const Report report = chaos.recording().report();
    for (const Advice& one : report.advice) {
      INFO(one.rule << ": " << one.title);
      check_numbers(one);
      check_words(one);
      ++advice;
    }
    for (const Remark& remark : report.not_judged) CHECK_FALSE(remark.why.empty());
    for (const Remark& remark : report.content) CHECK_FALSE(remark.why.empty());
  }
  CHECK(advice > 100);  // else it shows nothing
}

}  // namespace rocktune::advice
