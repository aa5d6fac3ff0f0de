// Many jobs on a full device: one more of them changes too little to tell, and between the stalls
// of a large tree lie minutes.
#include "policy/job_slots.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::int64_t kJobsFound = 16;

class LargeTree {
 public:
  explicit LargeTree(double (*moved)(std::int64_t jobs)) : moved_(moved) {
    bench_.f.cpus = 64;
    bench_.knob(knob::kBackgroundJobs) = jobs_knob(kJobsFound);
    bench_.run(10, knob::kBackgroundJobs);  // what the device takes at its idlest
    bench_.f.pending_ratio = 0.6;
  }
  // Two minutes of few compactions, ten seconds of as many as there are slots, then a stall in
  // which something is asked for, or nothing.
  std::optional<Proposal> next_stall() {
    bench_.f.write_stopped = 0;
    bench_.f.stalled_ratio = 0;
    bench_.f.device_read_await_ms = 0.2;
    bench_.f.running_compactions = 2;
    bench_.f.compaction_write_bytes_per_second = 20e6;
    CHECK_FALSE(bench_.run(120, knob::kBackgroundJobs));
    bench_.f.device_read_await_ms = 3;
    use_all_slots();
    CHECK_FALSE(bench_.run(10, knob::kBackgroundJobs));
    bench_.f.write_stopped = 1;
    bench_.f.stalled_ratio = 1;
    for (int half_second = 0; half_second < 60; ++half_second) {
      const auto wish = bench_.run(0.5, knob::kBackgroundJobs);
      if (!wish) continue;
      bench_.apply(*wish);
      use_all_slots();
      CHECK_FALSE(bench_.run(10, knob::kBackgroundJobs));  // the stall goes on
      return wish;
    }
    return std::nullopt;
  }
  void others_raise_to(std::int64_t jobs) { bench_.knob(knob::kBackgroundJobs).value = jobs; }
  [[nodiscard]] std::int64_t jobs() { return bench_.knob(knob::kBackgroundJobs).value; }

 private:
  void use_all_slots() {
    bench_.f.running_compactions = static_cast<double>(compaction_slots(jobs()));
    bench_.f.compaction_write_bytes_per_second = moved_(jobs());
  }

  double (*moved_)(std::int64_t);
  HeadroomBench bench_;
};

}  // namespace

TEST_CASE("jobs: single steps up from many are judged together, however far apart", "[headroom]") {
  LargeTree tree([](std::int64_t jobs) { return 1e9 + 1e6 * static_cast<double>(jobs); });
  std::optional<Proposal> wish;
  for (int stall = 0; stall < 8; ++stall) {
    wish = tree.next_stall();
    REQUIRE(wish);
    if (wish->rule != "jobs.backlog") break;
    CHECK(tree.jobs() <= 22);
  }
  CHECK(wish->rule == "jobs.futile");
  CHECK(wish->to == 17);  // the fewest that were seen at work
  SECTION("and rest") {
    for (int stall = 0; stall < 3; ++stall) CHECK_FALSE(tree.next_stall());
  }
}

TEST_CASE("jobs: many that others have added are not judged", "[headroom]") {
  LargeTree tree([](std::int64_t) { return 1e9; });
  REQUIRE(tree.next_stall());  // it is known what 17 of them move
  tree.others_raise_to(30);
  const auto wish = tree.next_stall();
  REQUIRE(wish);
  CHECK(wish->rule == "jobs.backlog");
}

TEST_CASE("jobs: steps up from many go on while they move more", "[headroom]") {
  LargeTree tree([](std::int64_t jobs) { return 60e6 * static_cast<double>(jobs); });
  for (int stall = 0; stall < 60 && tree.jobs() < 63; ++stall) {
    const auto wish = tree.next_stall();
    if (wish) CHECK(wish->rule == "jobs.backlog");
  }
  CHECK(tree.jobs() == 63);  // 64 would have no more slots for compactions
}
