// The rules on what reads look up: each fires, and only on its trouble.
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {

TEST_CASE("a block cache that is too small", "[advice]") {
  Recording r;
  r.hits = 2000;
  r.misses = 2000;
  const Report report = r.report();
  const Advice& one = only_advice(report, "cache_size");
  CHECK(*one.effect.now == Approx(0.5));
  CHECK(one.effect.high == Approx(1));
  CHECK(one.confidence == Confidence::kLow);
  CHECK(one.steps.front().value == std::to_string(1024 * kMiBytes));
  CHECK(one.evidence[2].name == "misses_per_read");
  CHECK(one.evidence[2].value == Approx(1));
  SECTION("what compactions look up in vain is not what reads miss") {
    r.hits = 3900;
    r.each = [](Recording& now, int second) {
      const bool compacting = second > 100;
      now.misses = compacting ? 9000 : 100;
      now.compacted_per_flushed = compacting ? 80 : 0;
    };
    CHECK(content_of(r.report(), "cache_size") == "it answers nearly all look-ups");
    r.hits = 1000;
    const Report less = r.report();
    CHECK(*only_advice(less, "cache_size").effect.now == Approx(1000.0 / 1100));
    r.compacted_per_flushed = 80;
    r.each = [](Recording&, int) {};
    CHECK(not_judged_of(r.report(), "cache_size").find("without compactions") != std::string::npos);
  }
  SECTION("at its last capacity") {
    r.each = [](Recording& now, int second) {
      const bool large = second > 100;
      now.sample.database->cache_capacity_bytes = (large ? 512 : 32) * kMiBytes;
      now.sample.database->cache_usage_bytes = (large ? 510 : 31) * kMiBytes;
      now.hits = large ? 3980 : 1000;
      now.misses = large ? 20 : 3000;
    };
    CHECK(content_of(r.report(), "cache_size") == "it answers nearly all look-ups");
    const auto before = r.each;
    r.each = [before](Recording& now, int second) {
      before(now, second);
      KnobReading cache;
      cache.name = knob::kCacheCapacity;
      cache.found = static_cast<std::int64_t>(32 * kMiBytes);
      cache.value = static_cast<std::int64_t>((second > 100 ? 512 : 32) * kMiBytes);
      cache.owner = second > 100 ? KnobOwner::kRocktune : KnobOwner::kFound;
      if (now.sample.knobs.find(knob::kCacheCapacity, "") == nullptr) {
        now.sample.knobs.edit().push_back(cache);
      }
      for (KnobReading& reading : now.sample.knobs.edit()) {
        if (reading.name == knob::kCacheCapacity) reading = cache;
      }
    };
    CHECK(content_of(r.report(), "cache_size") ==
          "it answers nearly all look-ups, as rocktuned raised it: each opening begins with the "
          "program's own 32 MiB, until it is raised again");
    r.each = [before](Recording& now, int second) { before(now, 301 - second); };
    const Report small = r.report();
    CHECK(*only_advice(small, "cache_size").effect.now == Approx(0.25).epsilon(0.01));
    r.seconds = 220;  // 20 of them at the small one
    CHECK(not_judged_of(r.report(), "cache_size").find("last capacity") != std::string::npos);
  }
  SECTION("the budget is named") {
    r.memory_max = 600 * kMiBytes;
    CHECK(only_advice(r.report(), "cache_size").how.find("600 MiB") != std::string::npos);
  }
  SECTION("two capacities tell") {
    r.compacted_per_flushed = 1;
    r.each = [](Recording& now, int second) {
      const bool large = second > 150;
      now.sample.database->cache_capacity_bytes = (large ? 512 : 256) * kMiBytes;
      now.sample.database->cache_usage_bytes = (large ? 510 : 255) * kMiBytes;
      now.hits = large ? 2000 : 1600;
    };
    const Report learnt = r.report();
    CHECK(only_advice(learnt, "cache_size").confidence == Confidence::kMedium);
    CHECK(only_advice(learnt, "cache_size").effect.high < 0.56);
    const auto before = r.each;
    r.each = [before](Recording& now, int second) {
      before(now, second);
      now.hits = 2000;
    };
    CHECK(content_of(r.report(), "cache_size").find("made no difference") != std::string::npos);
  }
  SECTION("not while there is room in it") {
    r.sample.database->cache_usage_bytes = 100 * kMiBytes;
    CHECK(content_of(r.report(), "cache_size") == "it is not full");
  }
  SECTION("not without memory") {
    r.sample.host->memory_available_bytes = 10 * kMiBytes;
    CHECK_FALSE(advises(r.report(), "cache_size"));
  }
}

TEST_CASE("a Bloom filter", "[advice]") {
  Recording r;
  r.filter_useful = 0;
  r.hits = 10'000;
  const Report report = r.report();
  const Advice& one = only_advice(report, "bloom_filter");
  CHECK(one.steps.front().needs_open);
  // A filter of prefixes alone is not counted where this is concluded from.
  CHECK(one.confidence == Confidence::kLow);
  CHECK(one.evidence.back().text.find("of whole keys") != std::string::npos);
  CHECK(*one.effect.now == Approx(5.05));
  CHECK(one.effect.low < 1.1);
  SECTION("from 9.11 on while it runs") {
    r.opening.rocksdb_version = "9.8.4";
    CHECK(only_advice(r.report(), "bloom_filter").steps.front().needs_open);
    CHECK(only_advice(r.report(), "bloom_filter").how.find("undo") != std::string::npos);
    r.opening.rocksdb_version = "9.11.1";
    CHECK_FALSE(only_advice(r.report(), "bloom_filter").steps.front().needs_open);
  }
  SECTION("told by the options") {
    r.opening.options.column_families["default"]["filter_policy"] = "nullptr";
    CHECK(only_advice(r.report(), "bloom_filter").confidence == Confidence::kHigh);
    r.opening.options.column_families["default"]["filter_policy"] = "bloomfilter:10:false";
    CHECK_FALSE(advises(r.report(), "bloom_filter"));
  }
  SECTION("and by the knob, which rocktuned has turned since") {
    r.opening.options.column_families["default"]["filter_policy"] = "nullptr";
    const auto turn = [&](std::int64_t bits) {
      r.sample.knobs = {
          {"bloom_bits_per_key", "default", bits, 0, KnobOwner::kRocktune, true, "", 2, 32}};
    };
    turn(10);
    CHECK_FALSE(advises(r.report(), "bloom_filter"));
    turn(0);
    CHECK(advises(r.report(), "bloom_filter"));
  }
  SECTION("not where it spares something") {
    r.filter_useful = 1;
    CHECK(content_of(r.report(), "bloom_filter") == "filters spare reads look-ups");
  }
  SECTION("of one column family that has none beside another that has") {
    r.sample.database->column_families.push_back(r.family());
    r.sample.database->column_families.back().name = "other";
    auto& options = r.opening.options.column_families;
    options["default"]["filter_policy"] = "bloomfilter:10:false";
    options["other"]["filter_policy"] = "nullptr";
    const Advice other = only_advice(r.report(), "bloom_filter");
    CHECK(other.column_family == "other");
    CHECK(other.confidence == Confidence::kLow);
    r.filter_useful = 1;
    CHECK(content_of(r.report(), "bloom_filter").find("other has none") != std::string::npos);
  }
  SECTION("not where seeks are more than a few") {
    r.seeks = 50;
    CHECK(advises(r.report(), "bloom_filter"));
    r.seeks = 500;
    CHECK(not_judged_of(r.report(), "bloom_filter").find("20% of the reads are seeks") == 0);
    r.sample.database->seeks.reset();
    CHECK(not_judged_of(r.report(), "bloom_filter") == "seeks are not counted in the trace");
  }
  SECTION("not for few reads") {
    r.reads = 1;
    CHECK(content_of(r.report(), "bloom_filter") == "there are few point reads");
  }
  SECTION("what compactions look up is none of them") {
    r.hits = 2000;
    r.each = [](Recording& now, int second) {
      now.misses = second > 100 ? 9000 : 100;
      now.compacted_per_flushed = second > 100 ? 80 : 0;
    };
    CHECK(content_of(r.report(), "bloom_filter") == "reads have few runs to ask");
    r.compacted_per_flushed = 80;
    r.misses = 9000;
    r.each = [](Recording&, int) {};
    CHECK(not_judged_of(r.report(), "bloom_filter").find("without compactions") !=
          std::string::npos);
  }
}

TEST_CASE("tables show no sizes beside blob files", "[advice]") {
  Recording r;
  r.bytes_per_write = 50;
  r.sample.database->cache_capacity_bytes = 128 * kMiBytes;
  auto& options = r.opening.options.column_families["default"];
  options = {{"filter_policy", "bloomfilter:10:false"},
             {"cache_index_and_filter_blocks", "true"},
             {"partition_filters", "false"}};
  r.opening.options.database["use_direct_io_for_flush_and_compaction"] = "false";
  const char* blobs = "values lie in blob files";
  CHECK(advises(r.report(), "partitioned_filters"));
  SECTION("by the options") {
    options["enable_blob_files"] = "true";
  }
  SECTION("by flushes of more than tables hold") {
    r.flushes = 0.5;
    r.bytes_per_write = 500'000;  // 500 MB for each flush, and tables of 32 MiB
  }
  const Report report = r.report();
  for (const char* rule : {"partitioned_filters", "direct_io", "compaction_style", "level1_size"}) {
    INFO(rule);
    CHECK(not_judged_of(report, rule).find(blobs) == 0);
  }
}

TEST_CASE("what the cache may hold beside blob files is tables", "[advice]") {
  Recording r;
  r.hits = r.misses = 4000;
  r.filter_useful = 0;
  r.opening.options.column_families["default"] = {{"enable_blob_files", "true"},
                                                  {"filter_policy", "nullptr"}};
  const Report report = r.report();
  CHECK(only_advice(report, "cache_size").evidence[1].text.find("without blob files") !=
        std::string::npos);
  CHECK(only_advice(report, "bloom_filter").risk.find("10 bits of memory for each key") == 0);
}

TEST_CASE("partitioned filters", "[advice]") {
  Recording r;
  r.bytes_per_write = 50;  // 55 million keys of 2.7 GiB: 69 MB of filters, 23 MB of indexes
  CHECK(not_judged_of(r.report(), "partitioned_filters") ==
        "the table options are not in the trace: --options with the OPTIONS file brings them");
  auto& options = r.opening.options.column_families["default"];
  options = {{"filter_policy", "bloomfilter:10:false"},
             {"cache_index_and_filter_blocks", "true"},
             {"partition_filters", "false"},
             {"block_size", "4096"}};
  CHECK(content_of(r.report(), "partitioned_filters").find("small beside") != std::string::npos);
  r.sample.database->cache_capacity_bytes = 128 * kMiBytes;
  const Report report = r.report();
  const Advice& one = only_advice(report, "partitioned_filters");
  CHECK(*one.effect.now > 80e6);
  CHECK(one.effect.low < 1e6);
  SECTION("outside of the cache") {
    options["cache_index_and_filter_blocks"] = "0";
    CHECK_FALSE(advises(r.report(), "partitioned_filters"));
    r.sample.host->memory_total_bytes = kGiBytes / 2;
    CHECK(not_judged_of(r.report(), "partitioned_filters").find("max_open_files is not") == 0);
    r.opening.options.database["max_open_files"] = "200";
    CHECK(not_judged_of(r.report(), "partitioned_filters").find("of 200 open tables at most") !=
          std::string::npos);
    r.opening.options.database["max_open_files"] = "-1";
    CHECK(content_of(r.report(), "partitioned_filters").find("128 MiB has no room for them") !=
          std::string::npos);
    r.sample.database->cache_capacity_bytes = kGiBytes / 2;
    const Advice moved = only_advice(r.report(), "partitioned_filters");
    CHECK(moved.title.find("in the block cache") != std::string::npos);
    CHECK(moved.evidence[1].name == "cache_capacity_bytes");
    r.sample.database->cache_capacity_bytes.reset();
    CHECK(not_judged_of(r.report(), "partitioned_filters").find("cache and memory are not") == 0);
  }
  SECTION("of several column families together") {
    r.sample.database->cache_capacity_bytes = 400 * kMiBytes;
    CHECK_FALSE(advises(r.report(), "partitioned_filters"));
    const auto same = options;
    for (const char* name : {"b", "c", "d"}) {
      r.sample.database->column_families.push_back(r.family());
      r.sample.database->column_families.back().name = name;
      r.opening.options.column_families[name] = same;
    }
    r.sample.database->column_families.back().levels[2].bytes *= 2;
    // 88 MiB each, 170 MiB the last one: without that one the others are above half of the cache,
    // and without another one below.
    const Report several = r.report();
    std::vector<std::string> advised;
    for (const Advice& each : several.advice) {
      if (each.rule == "partitioned_filters") advised.push_back(each.column_family);
    }
    CHECK(advised == std::vector<std::string>{"d", "b"});
    CHECK(content_of(several, "partitioned_filters").find("the largest ones") != std::string::npos);
    SECTION("what lies elsewhere is no part of it") {
      for (const char* name : {"b", "c", "d"}) {
        r.opening.options.column_families[name]["cache_index_and_filter_blocks"] = "0";
      }
      CHECK_FALSE(advises(r.report(), "partitioned_filters"));
    }
  }
  SECTION("they are") {
    options["partition_filters"] = "1";
    CHECK(content_of(r.report(), "partitioned_filters") == "filters are partitioned");
  }
}

}  // namespace rocktune::advice
