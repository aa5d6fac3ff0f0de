#include "agent/running_jobs.h"

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using TimePoint = RunningJobs::TimePoint;
using Input = RunningJobs::Input;

constexpr TimePoint kNow{1000s};
const int kOneDb = 0, kOtherDb = 0;

TEST_CASE("RunningJobs sums up what compacts level 0, by column family") {
  RunningJobs jobs;
  jobs.begin({&kOneDb, 1, 0}, "default", Input{4, 400}, kNow - 3s);
  jobs.begin({&kOneDb, 2, 0}, "default", Input{2, 200}, kNow - 5s);
  jobs.begin({&kOneDb, 3, 0}, "default", Input{0, 900}, kNow - 9s);  // deeper
  jobs.begin({&kOneDb, 4, 0}, "default", std::nullopt, kNow - 9s);   // a flush
  jobs.begin({&kOneDb, 5, 1}, "hot", Input{1, 10}, kNow);
  jobs.begin({&kOtherDb, 6, 0}, "default", Input{7, 700}, kNow - 1s);
  jobs.table_created("default", 1, 60);
  jobs.table_created("default", 1, 60);
  jobs.table_created("hot", 1, 1);  // no such job
  jobs.table_created("default", 3, 50);
  const auto sums = jobs.l0_compactions(&kOneDb, kNow);
  REQUIRE(sums.size() == 2);
  CHECK(sums.at("default") == wire::L0Compactions{6, 600, 120, 5000});
  CHECK(sums.at("hot") == wire::L0Compactions{1, 10, 0, 0});
  CHECK(jobs.end({&kOneDb, 2, 0}, kNow) == 5s);
  CHECK_FALSE(jobs.end({&kOneDb, 2, 0}, kNow));
  CHECK(jobs.l0_compactions(&kOneDb, kNow).at("default") == wire::L0Compactions{4, 400, 120, 3000});
}

TEST_CASE("RunningJobs does not guess whose table it is") {
  RunningJobs jobs;
  jobs.begin({&kOneDb, 1, 0}, "default", Input{4, 400}, kNow);
  jobs.begin({&kOtherDb, 1, 0}, "default", Input{5, 500}, kNow);
  jobs.table_created("default", 1, 60);
  for (const void* db : {static_cast<const void*>(&kOneDb), static_cast<const void*>(&kOtherDb)}) {
    const auto sums = jobs.l0_compactions(db, kNow);
    CHECK_FALSE(sums.at("default").output_bytes);
    CHECK(sums.at("default").input_files > 0);
  }
}

TEST_CASE("RunningJobs forgets the oldest beyond its bound") {
  RunningJobs jobs;
  for (int job = 0; job < 1000; ++job) {
    jobs.begin({&kOneDb, job, 0}, "default", Input{1, 1}, kNow);
  }
  CHECK(jobs.l0_compactions(&kOneDb, kNow).at("default").input_files == RunningJobs::kMost);
  CHECK_FALSE(jobs.end({&kOneDb, 0, 0}, kNow));
  CHECK(jobs.end({&kOneDb, 999, 0}, kNow));
}

}  // namespace
}  // namespace rocktune::agent
