// What compactions read of level 0, and what of it nobody flushed there.
#include <rocksdb/sst_file_writer.h>

#include "agent/job_events.h"
#include "tests/unit/agent/database_fixture.h"

namespace rocktune::agent {
namespace {

using rocksdb::CompactionReason;
using testing::DatabaseFixture;

std::string key_of(int i) {
  return std::to_string(1000 + i);
}

class MergedHost {
 public:
  // Into level 0, over all that is there.
  void fill() {
    for (int i = 0; i < 100; ++i) f_.put(key_of(i));
    f_.flush(0);
  }
  void ingest() {
    const std::string path = f_.host.directory.file("made.sst");
    rocksdb::SstFileWriter writer({}, {});
    REQUIRE(writer.Open(path).ok());
    for (int i = 0; i < 100; ++i) REQUIRE(writer.Put(key_of(i), std::string(3000, 'w')).ok());
    REQUIRE(writer.Finish().ok());
    REQUIRE(f_.host.db->IngestExternalFile({path}, {}).ok());
  }
  wire::Jobs compact() {
    REQUIRE(f_.host.db->CompactRange({}, nullptr, nullptr).ok());
    wire::Sample sample;
    sample.column_families.emplace_back().name = "default";
    f_.database.add_jobs(sample);
    return sample.column_families[0].jobs.value();
  }

 private:
  DatabaseFixture f_;
};

double merged_bytes(const wire::Jobs& jobs) {
  return static_cast<double>(jobs.l0_compactions_input_bytes -
                             jobs.l0_compactions_other_bytes.value());
}

TEST_CASE("of a compaction that the host asks for what it takes of level 0 counts") {
  MergedHost host;
  host.fill();
  host.fill();
  const wire::Jobs first = host.compact();
  REQUIRE(first.l0_compactions == 1);
  CHECK(first.l0_compactions_other_bytes == 0U);
  const double flushed = merged_bytes(first) / 2;
  host.fill();
  const wire::Jobs second = host.compact();
  REQUIRE(second.l0_compactions == 2);
  CHECK(second.l0_compactions_other_bytes > 0U);                     // the level below
  CHECK(merged_bytes(second) == Approx(3 * flushed).epsilon(0.05));  // compressed each for itself
}

TEST_CASE("files of level 0 that were ingested are told apart") {
  MergedHost host;
  host.fill();
  host.fill();
  const double flushed = merged_bytes(host.compact());
  MergedHost another;
  another.fill();
  another.ingest();
  another.fill();
  const wire::Jobs jobs = another.compact();
  REQUIRE(jobs.l0_compactions == 1);
  CHECK(jobs.l0_compactions_other_bytes > 0U);
  CHECK(merged_bytes(jobs) == Approx(flushed).epsilon(0.05));
}

TEST_CASE("level 0 and the levels' sizes ask for compactions, and others do") {
  CHECK(is_for_size(CompactionReason::kLevelL0FilesNum));
  CHECK(is_for_size(CompactionReason::kUniversalSortedRunNum));
  for (const auto reason :
       {CompactionReason::kManualCompaction, CompactionReason::kTtl,
        CompactionReason::kPeriodicCompaction, CompactionReason::kFilesMarkedForCompaction,
        static_cast<CompactionReason>(1000)}) {
    CHECK_FALSE(is_for_size(reason));
  }
}

}  // namespace
}  // namespace rocktune::agent
