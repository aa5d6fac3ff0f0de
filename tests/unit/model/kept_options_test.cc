// What a recording keeps of a database's options, and when they are others than before.
#include "model/kept_options.h"

#include "tests/support/catch.h"

namespace rocktune {
namespace {

OpenOptions told() {
  OpenOptions options;
  options.database = {{"wal_compression", "kZSTD"},
                      {"max_background_jobs", "2"},
                      {"wal_dir", "/secret"},
                      {"use_direct_reads", std::string(1000, 'x')}};
  options.column_families["default"] = {{"filter_policy", "nullptr"},
                                        {"block_size", "4096"},
                                        {"compaction_style", "kCompactionStyleLevel"},
                                        {"comparator", "leveldb.BytewiseComparator"}};
  return options;
}

TEST_CASE("what no rule reads is not kept, nor what is too long", "[model]") {
  const OpenOptions kept = kept_options(told());
  CHECK(kept.database == OptionValues{{"max_background_jobs", "2"}, {"wal_compression", "kZSTD"}});
  CHECK(kept.column_families.at("default") ==
        OptionValues{{"block_size", "4096"},
                     {"compaction_style", "kCompactionStyleLevel"},
                     {"filter_policy", "nullptr"}});
  CHECK(kept.families_left_out == 0);
  CHECK(kept_options(kept) == kept);
}

TEST_CASE("options of many column families are bounded, and those left out are counted",
          "[model]") {
  OpenOptions all = told();
  for (int i = 0; i < 2000; ++i) {
    all.column_families["family_" + std::to_string(i)] = all.column_families.at("default");
  }
  const OpenOptions kept = kept_options(all);
  CHECK(kept.column_families.size() > 300);
  CHECK(kept.column_families.size() + kept.families_left_out == 2001);
  CHECK(kept.column_families.contains("default"));
  std::size_t bytes = 0;
  for (const auto& [family, values] : kept.column_families) {
    bytes += family.size();
    for (const auto& [name, value] : values) bytes += name.size() + value.size();
  }
  CHECK(bytes <= kMostOptionBytes);
  all.column_families = {{std::string(kMostOptionBytes, 'n'), {}}};
  CHECK(kept_options(all).families_left_out == 1);
}

TEST_CASE("only what nothing changes while a database is open makes another opening of it",
          "[model]") {
  const OpenOptions before = told();
  OpenOptions now = before;
  CHECK_FALSE(opened_otherwise(before, now));
  CHECK_FALSE(opened_otherwise({}, now));
  CHECK_FALSE(opened_otherwise(before, {}));
  now.database["max_background_jobs"] = "8";
  now.column_families["default"]["filter_policy"] = "bloomfilter:10:false";
  now.column_families["new"]["compaction_style"] = "kCompactionStyleFIFO";
  now.database["manual_wal_flush"] = "true";  // before it was not told
  CHECK_FALSE(opened_otherwise(before, now));
  SECTION("of the database") {
    now.database["wal_compression"] = "kNoCompression";
  }
  SECTION("of a column family") {
    now.column_families["default"]["compaction_style"] = "kCompactionStyleUniversal";
  }
  CHECK(opened_otherwise(before, now));
}

}  // namespace
}  // namespace rocktune
