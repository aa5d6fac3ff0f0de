#include "agent/running_jobs.h"

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using TimePoint = RunningJobs::TimePoint;
using Input = RunningJobs::Input;

constexpr TimePoint kNow{1000s};
const int kOneDb = 0, kOtherDb = 0;
const wire::Jobs kNoneDone{0, {}, 0, 0, 0, 0, 0, 0, 0, 0};

wire::ColumnFamily filled(const RunningJobs& jobs, const void* db, const std::string& family,
                          TimePoint now) {
  std::vector<wire::ColumnFamily> families(2);
  families[0].name = "another";
  families[1].name = family;
  jobs.fill(db, now, families);
  CHECK(families[0].l0_compactions == wire::L0Compactions{0, 0, 0, 0});
  CHECK(families[0].jobs == kNoneDone);
  return families[1];
}

wire::L0Compactions l0(const RunningJobs& jobs, const void* db, const std::string& family,
                       TimePoint now) {
  return filled(jobs, db, family, now).l0_compactions.value();
}

wire::Jobs all(const RunningJobs& jobs, const void* db, const std::string& family, TimePoint now) {
  return filled(jobs, db, family, now).jobs.value();
}

const wire::L0Compactions kNoneRunning{0, 0, 0, 0};

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
  CHECK(l0(jobs, &kOneDb, "default", kNow) == wire::L0Compactions{6, 600, 120, 5000});
  CHECK(l0(jobs, &kOneDb, "hot", kNow) == wire::L0Compactions{1, 10, 0, 0});
  CHECK(jobs.end({&kOneDb, 2, 0}, kNow) == 5s);
  CHECK_FALSE(jobs.end({&kOneDb, 2, 0}, kNow));
  CHECK(l0(jobs, &kOneDb, "default", kNow) == wire::L0Compactions{4, 400, 120, 3000});
}

TEST_CASE("RunningJobs does not guess whose table it is") {
  RunningJobs jobs;
  jobs.begin({&kOneDb, 1, 0}, "default", Input{4, 400}, kNow);
  jobs.begin({&kOtherDb, 1, 0}, "default", Input{5, 500}, kNow);
  jobs.table_created("default", 1, 60);
  for (const void* db : {static_cast<const void*>(&kOneDb), static_cast<const void*>(&kOtherDb)}) {
    const wire::L0Compactions sum = l0(jobs, db, "default", kNow);
    CHECK_FALSE(sum.output_bytes);
    CHECK(sum.input_files > 0);
  }
}

TEST_CASE("RunningJobs forgets what a close interrupted") {
  RunningJobs jobs;
  jobs.begin({&kOneDb, 1, 0}, "default", Input{4, 400}, kNow - 9s);
  jobs.begin({&kOtherDb, 1, 0}, "default", Input{5, 500}, kNow);
  jobs.forget(&kOneDb);
  CHECK(l0(jobs, &kOneDb, "default", kNow) == kNoneRunning);
  CHECK(l0(jobs, &kOtherDb, "default", kNow).input_files == 5);
  // The next database may lie at the same address, and has the same numbers.
  jobs.begin({&kOtherDb, 1, 0}, "default", Input{2, 200}, kNow + 5s);
  CHECK(l0(jobs, &kOtherDb, "default", kNow + 6s) == wire::L0Compactions{2, 200, 0, 1000});
  CHECK(jobs.end({&kOtherDb, 1, 0}, kNow + 7s) == 2s);
}

TEST_CASE("RunningJobs forgets the oldest beyond its bound") {
  RunningJobs jobs;
  for (int job = 0; job < 1000; ++job) {
    jobs.begin({&kOneDb, job, 0}, "default", Input{1, 1}, kNow);
  }
  CHECK(l0(jobs, &kOneDb, "default", kNow).input_files == RunningJobs::kMost);
  CHECK_FALSE(jobs.end({&kOneDb, 0, 0}, kNow));
  CHECK(jobs.end({&kOneDb, 999, 0}, kNow));
}

TEST_CASE("RunningJobs counts what has ended, by column family, and how long it took") {
  RunningJobs jobs;
  jobs.begin({&kOneDb, 1, 0}, "default", Input{4, 400, 0, 150}, kNow - 9s);
  jobs.begin({&kOneDb, 2, 0}, "default", Input{2, 200, 0, 200}, kNow - 9s);
  jobs.begin({&kOneDb, 3, 0}, "default", Input{0, 900, 2}, kNow - 8s);
  jobs.begin({&kOneDb, 4, 0}, "default", std::nullopt, kNow - 7s);  // a flush
  jobs.begin({&kOneDb, 5, 0}, "default", Input{0, 1, 1}, kNow - 1s);
  jobs.begin({&kOneDb, 6, 0}, "default", Input{1, 1}, kNow - 1s);
  jobs.begin({&kOneDb, 7, 1}, "hot", std::nullopt, kNow - 1s);
  CHECK(all(jobs, &kOneDb, "default", kNow).deep_running_level == 2);
  CHECK(all(jobs, &kOneDb, "default", kNow).deep_running_age_ms == 8000);
  jobs.end({&kOneDb, 1, 0}, kNow - 6s);                               // 3 s
  jobs.end({&kOneDb, 2, 0}, kNow - 4s, RunningJobs::Ended::kFailed);  // not counted
  jobs.end({&kOneDb, 3, 0}, kNow - 6s);                               // 2 s
  jobs.end({&kOneDb, 4, 0}, kNow - 5s);
  jobs.end({&kOneDb, 5, 0}, kNow - 500ms, RunningJobs::Ended::kMoved);
  jobs.end({&kOneDb, 6, 0}, kNow - 500ms, RunningJobs::Ended::kMoved);  // out of L0: not counted
  CHECK(all(jobs, &kOneDb, "default", kNow) ==
        wire::Jobs{1, 5000, 1, 3000, 400, 2, 2500, 0, 0, 150});
  CHECK(all(jobs, &kOneDb, "hot", kNow) == kNoneDone);
  CHECK(all(jobs, &kOtherDb, "default", kNow) == kNoneDone);
  jobs.forget(&kOneDb);
  CHECK(all(jobs, &kOneDb, "default", kNow) == kNoneDone);
}

TEST_CASE("RunningJobs forgets the column family in which nothing ended for longest") {
  RunningJobs jobs;
  for (int family = 0; family <= static_cast<int>(RunningJobs::kMostFamilies); ++family) {
    const RunningJobs::Key key{&kOneDb, 1, static_cast<std::uint32_t>(family)};
    jobs.begin(key, std::to_string(family), std::nullopt, kNow);
    jobs.end(key, kNow + std::chrono::seconds(family));
  }
  CHECK(all(jobs, &kOneDb, "0", kNow).flushes == 0);
  CHECK(all(jobs, &kOneDb, "1", kNow).flushes == 1);
  CHECK(all(jobs, &kOneDb, std::to_string(RunningJobs::kMostFamilies), kNow).flushes == 1);
}

}  // namespace
}  // namespace rocktune::agent
